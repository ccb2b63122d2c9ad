// What a pickle of a state dict can hold, as plain values: no Python object is ever made.
// Containers live in one store (an arena of the machine) and values refer to them by index, so that
// deep or circular structures need no recursion and cannot leak.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

/// The names a pickle may ask for; all others are refused.
enum class Callable { kOrderedDict, kRebuildTensor, kRebuildParameter, kSize, kStorageClass };

struct PickleValue {
  enum class Kind {
    kNone,
    kBool,
    kInteger,
    kBigInteger,  ///< does not fit int64; `text` holds its little-endian bytes
    kFloat,
    kText,  ///< text or bytes, in the pickle's own memory
    kTuple,
    kList,
    kDict,
    kCallable,
    kStorage,  ///< index of a storage
    kTensor    ///< index of a tensor
  };

  Kind kind = Kind::kNone;
  std::int64_t number = 0;  ///< the integer, the bool, or the index of what the kind says
  double real = 0;
  std::string_view text;
  Callable callable = Callable::kOrderedDict;
  DType dtype = DType::kFloat32;  ///< of a storage class
};

using PickleSequence = std::vector<PickleValue>;
using PickleDict = std::vector<std::pair<PickleValue, PickleValue>>;

/// A storage that the pickle mentions: where its bytes are is the container's business.
struct PickleStorage {
  std::string key;
  DType dtype = DType::kFloat32;
  std::int64_t elements = 0;
};

struct PickleTensor {
  std::size_t storage = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

/// One unpickled document. `root` refers into the other members; texts refer into the pickle.
struct Pickle {
  PickleValue root;
  std::deque<PickleSequence> sequences;  ///< tuples and lists
  std::deque<PickleDict> dicts;
  std::vector<PickleStorage> storages;
  std::vector<PickleTensor> tensors;

  [[nodiscard]] PickleSequence& sequence(const PickleValue& value);
  [[nodiscard]] const PickleSequence& sequence(const PickleValue& value) const;
  [[nodiscard]] PickleDict& dict(const PickleValue& value);
  [[nodiscard]] const PickleDict& dict(const PickleValue& value) const;

  /// The item at a text key of a dict, or nullptr.
  [[nodiscard]] const PickleValue* find(const PickleValue& value, std::string_view key) const;
};

/// "a dict", "a text", ... for messages.
[[nodiscard]] std::string_view describe(const PickleValue& value);

/// What `module.name` stands for if it is on the list: a callable, or a storage class with its
/// dtype. Nothing otherwise.
[[nodiscard]] std::optional<PickleValue> find_global(std::string_view module,
                                                     std::string_view name);

}  // namespace yardstick::checkpoint
