// Reference files written by a test.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "models/checkpoint/containers.hpp"
#include "models/engine/request.hpp"

namespace yardstick::test {

inline checkpoint::TensorToWrite stored_floats(const std::string& name,
                                               const std::vector<std::int64_t>& shape,
                                               const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = name, .shape = shape, .bytes = std::move(bytes)};
}

inline checkpoint::TensorToWrite stored_ids(const std::string& name,
                                            const std::vector<TokenId>& ids) {
  std::vector<std::byte> bytes(ids.size() * sizeof(TokenId));
  std::memcpy(bytes.data(), ids.data(), bytes.size());
  return {.name = name,
          .dtype = checkpoint::DType::kInt32,
          .shape = {std::ssize(ids)},
          .bytes = std::move(bytes)};
}

}  // namespace yardstick::test
