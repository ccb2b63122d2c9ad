#include "models/reference/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/npy.hpp"
#include "models/checkpoint/containers.hpp"

namespace yardstick::models {
namespace {

using checkpoint::DType;
using checkpoint::TensorView;

constexpr std::string_view kStates = "hidden_states";
constexpr std::string_view kStatePrefix = "hidden_states.";

Error bad_tensor(const TensorView& tensor, std::string_view expected) {
  return {ErrorKind::kData,
          fmt::format("{}: '{}' is {} {}; expected {}", tensor.file, tensor.name,
                      to_string(tensor.dtype), checkpoint::shape_text(tensor.shape), expected)};
}

/// Drops a leading 1 that is more than `dims`.
TensorView without_batch(TensorView tensor, std::size_t dims) {
  if (tensor.shape.size() == dims + 1 && tensor.shape.front() == 1) {
    tensor.shape.erase(tensor.shape.begin());
    tensor.strides.erase(tensor.strides.begin());
  }
  return tensor;
}

TensorView matrix(const TensorView& stored, std::string_view expected) {
  TensorView tensor = without_batch(stored, 2);
  if (tensor.shape.size() != 2 || tensor.element_count() == 0 || !is_floating(tensor.dtype))
    throw bad_tensor(stored, expected);
  return tensor;
}

TensorView logits_of(const TensorView& stored) {
  return matrix(stored, "floats [tokens, vocabulary]");
}

/// The matrices of a stack [states, N, E].
std::vector<TensorView> unstacked(const TensorView& stack) {
  if (stack.shape.size() != 3 || stack.element_count() == 0 || !is_floating(stack.dtype))
    throw bad_tensor(stack, "floats [layers + 1, tokens, width]");
  std::vector<TensorView> states;
  for (std::int64_t i = 0; i < stack.shape[0]; ++i) {
    TensorView& state = states.emplace_back(stack);
    state.name = fmt::format("{}[{}]", stack.name, i);
    state.offset += i * stack.strides[0];
    state.shape.erase(state.shape.begin());
    state.strides.erase(state.strides.begin());
  }
  return states;
}

/// A mapped array as a tensor.
TensorView view_of(const NpyArray& array, const std::filesystem::path& file,
                   std::string_view name) {
  constexpr std::array<std::pair<std::string_view, DType>, 3> kDTypes = {
      {{"<f2", DType::kFloat16}, {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64}}};
  const auto* const dtype =
      std::ranges::find(kDTypes, array.dtype(), &std::pair<std::string_view, DType>::first);
  if (dtype == kDTypes.end()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: an array of '{}'; expected floats ('<f4', '<f2' or '<f8')",
                            file.string(), array.dtype()));
  }
  TensorView view{.name = std::string(name),
                  .dtype = dtype->second,
                  .shape = array.shape(),
                  .strides = std::vector<std::int64_t>(array.shape().size()),
                  .storage = array.data(),
                  .file = file.string()};
  std::int64_t stride = 1;
  for (std::size_t d = view.shape.size(); d-- > 0;) {
    view.strides[d] = stride;
    stride *= view.shape[d];
  }
  return view;
}

/// An .npy file of floats, kept open by `reference`.
TensorView open_npy(const std::filesystem::path& file, std::string_view name,
                    Reference& reference) {
  const auto array = std::make_shared<const NpyArray>(file);
  reference.files.push_back(array);
  return view_of(*array, file, name);
}

Error given_twice(std::string_view what, const std::filesystem::path& file,
                  std::string_view option) {
  return {ErrorKind::kConfig, fmt::format("{} are in {} and given with {}; leave one out", what,
                                          file.string(), option)};
}

bool is_state(const TensorView& tensor) {
  return tensor.name == kStates || tensor.name.starts_with(kStatePrefix);
}

void check_names(const checkpoint::TensorSource& source) {
  for (const TensorView& tensor : source.tensors()) {
    const bool is_known = tensor.name == "tokens" || tensor.name == "input_ids" ||
                          tensor.name == "logits" || is_state(tensor);
    if (is_known) continue;
    throw Error(ErrorKind::kData,
                fmt::format("{}: unknown tensor '{}'; expected tokens (or input_ids), logits, and "
                            "perhaps hidden_states or hidden_states.0, hidden_states.1, ...",
                            tensor.file, tensor.name));
  }
}

std::vector<TensorView> read_states(const checkpoint::TensorSource& source,
                                    const std::filesystem::path& file) {
  const auto count = std::ranges::count_if(source.tensors(), is_state);
  if (const TensorView* const stack = find_tensor(source, kStates)) {
    if (count == 1) return unstacked(*stack);
    throw Error(ErrorKind::kData,
                fmt::format("{}: has '{}' and '{}0' or the like; expected one of the forms",
                            file.string(), kStates, kStatePrefix));
  }
  std::vector<TensorView> states;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{}{}", kStatePrefix, i);
    const TensorView* const state = find_tensor(source, name);
    if (state == nullptr) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: tensor '{}' is missing; {} of {}N were found, expected them "
                              "numbered from 0 without a gap",
                              file.string(), name, count, kStatePrefix));
    }
    states.push_back(matrix(*state, "floats [tokens, width]"));
  }
  return states;
}

void read_safetensors(const std::filesystem::path& file, Reference& reference) {
  const std::shared_ptr<const checkpoint::TensorSource> source = checkpoint::open_safetensors(file);
  reference.files.push_back(source);
  check_names(*source);
  const TensorView* const logits = find_tensor(*source, "logits");
  if (logits == nullptr) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: tensor 'logits' [tokens, vocabulary] is missing", file.string()));
  }
  reference.logits = logits_of(*logits);
  const TensorView* const tokens = find_tensor(*source, "tokens");
  const TensorView* const input_ids = find_tensor(*source, "input_ids");
  if (tokens != nullptr && input_ids != nullptr) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: has both 'tokens' and 'input_ids'; expected one", file.string()));
  }
  if (tokens != nullptr) reference.sequences = {read_ids(*tokens)};
  if (input_ids != nullptr) reference.sequences = {read_ids(*input_ids)};
  reference.states = read_states(*source, file);
}

std::int64_t token_count(const Reference& reference) {
  std::int64_t count = 0;
  for (const std::vector<TokenId>& sequence : reference.sequences) count += std::ssize(sequence);
  return count;
}

void check_shape(const TensorView& tensor, std::int64_t rows, std::int64_t columns,
                 std::string_view column) {
  if (tensor.shape[0] != rows) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: '{}' is {}, but there are {} tokens; expected a row for each",
                            tensor.file, tensor.name, checkpoint::shape_text(tensor.shape), rows));
  }
  if (tensor.shape[1] != columns) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: '{}' is {}, but the model has {} of {}", tensor.file, tensor.name,
                            checkpoint::shape_text(tensor.shape), column, columns));
  }
}

}  // namespace

Reference read_reference(const ReferenceFiles& files) {
  Reference reference;
  const std::string extension = files.numbers.extension().string();
  if (extension == ".safetensors") {
    read_safetensors(files.numbers, reference);
  } else if (extension == ".npy") {
    reference.logits = logits_of(open_npy(files.numbers, "logits", reference));
  } else {
    throw Error(ErrorKind::kData,
                fmt::format("{}: expected a .safetensors or .npy file", files.numbers.string()));
  }
  if (files.tokens) {
    if (!reference.sequences.empty()) throw given_twice("tokens", files.numbers, "--tokens");
    reference.sequences = read_token_lists(*files.tokens);
  }
  if (files.hidden_states) {
    if (!reference.states.empty())
      throw given_twice("hidden states", files.numbers, "--hidden-states");
    reference.states = unstacked(open_npy(*files.hidden_states, kStates, reference));
  }
  if (reference.sequences.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: holds no tokens; name their file (.npy or JSON) with --tokens",
                            files.numbers.string()));
  }
  return reference;
}

void check_fits(const Reference& reference, const DecoderConfig& config) {
  for (std::size_t s = 0; s < reference.sequences.size(); ++s) {
    const std::vector<TokenId>& tokens = reference.sequences[s];
    const auto beyond =
        std::ranges::find_if(tokens, [&](TokenId id) { return id >= config.vocabulary; });
    if (beyond == tokens.end()) continue;
    throw Error(ErrorKind::kData,
                fmt::format("{}: token {} of sequence {} is {}, but the model's vocabulary has "
                            "ids 0 to {}",
                            reference.logits.file, beyond - tokens.begin(), s, *beyond,
                            config.vocabulary - 1));
  }
  const std::int64_t rows = token_count(reference);
  check_shape(reference.logits, rows, config.vocabulary, "a vocabulary");
  if (reference.states.empty()) return;
  if (std::ssize(reference.states) != config.layers + 1) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: has {} hidden states, but the model has {} layers; expected {}: "
                            "what each reads, then the output of the final norm",
                            reference.states.front().file, reference.states.size(), config.layers,
                            config.layers + 1));
  }
  for (const TensorView& state : reference.states)
    check_shape(state, rows, config.width, "a width");
}

std::vector<float> stored_rows(const TensorView& matrix, std::int64_t first, std::int64_t count) {
  TensorView part = matrix;
  part.offset += first * matrix.strides[0];
  part.shape[0] = count;
  std::vector<float> rows = to_floats(part);
  const auto bad = std::ranges::find_if(rows, [](float value) { return !std::isfinite(value); });
  if (bad != rows.end()) {
    const std::int64_t at = bad - rows.begin();
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: '{}' holds {} in row {}, column {}; expected finite numbers", matrix.file,
                    matrix.name, *bad, first + at / matrix.shape[1], at % matrix.shape[1]));
  }
  return rows;
}

}  // namespace yardstick::models
