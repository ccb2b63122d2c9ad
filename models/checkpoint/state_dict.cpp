#include "models/checkpoint/state_dict.hpp"

#include <array>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::checkpoint {
namespace {

using Kind = PickleValue::Kind;

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxNameBytes = std::size_t{64}
                                      << 20;   // of all names: keys can be shared too
constexpr std::size_t kMaxVisits = 1'000'000;  // shared dicts can be reached along many paths

class Flattener {
 public:
  Flattener(const Pickle& pickle, const std::string& file) : pickle_(pickle), file_(file) {}

  void add_dict(const PickleValue& dict, const std::string& prefix, int depth) {
    if (depth > kMaxDepth) fail(prefix, "is nested too deeply for a state dict");
    for (const auto& [key, value] : pickle_.dict(dict)) {
      count_visit(prefix);
      if (key.kind == Kind::kText) {
        count_name(prefix.size() + 1 + key.text.size());
        add(value, prefix.empty() ? std::string(key.text) : fmt::format("{}.{}", prefix, key.text),
            depth);
      } else if (holds_tensor(value, depth)) {
        fail(prefix,
             fmt::format("has a tensor under a key that is {}; expected a text", describe(key)));
      }
    }
  }

  std::vector<NamedTensor> take() { return std::move(tensors_); }

 private:
  void add(const PickleValue& value, const std::string& name, int depth) {
    switch (value.kind) {
      case Kind::kTensor:
        tensors_.push_back({.name = name, .tensor = static_cast<std::size_t>(value.number)});
        return;
      case Kind::kDict: return add_dict(value, name, depth + 1);
      case Kind::kStorage: fail(name, "is a bare storage; expected a tensor");
      default:
        if (holds_tensor(value, depth)) {
          fail(name, fmt::format("is {} with tensors inside; expected a tensor or a dict",
                                 describe(value)));
        }
    }
  }

  bool holds_tensor(const PickleValue& value, int depth) {
    count_visit("");
    if (depth > kMaxDepth) fail("", "is nested too deeply for a state dict");
    if (value.kind == Kind::kTensor || value.kind == Kind::kStorage) return true;
    if (value.kind == Kind::kDict) {
      for (const auto& [key, item] : pickle_.dict(value)) {
        if (holds_tensor(item, depth + 1)) return true;
      }
    }
    if (value.kind == Kind::kTuple || value.kind == Kind::kList) {
      for (const PickleValue& item : pickle_.sequence(value)) {
        if (holds_tensor(item, depth + 1)) return true;
      }
    }
    return false;
  }

  // Without the name in the message: it may be all of the bytes.
  void count_name(std::size_t bytes) {
    name_bytes_ += bytes;
    if (name_bytes_ > kMaxNameBytes) {
      fail("", fmt::format("has names of more than {} bytes in all", kMaxNameBytes));
    }
  }

  void count_visit(const std::string& place) {
    if (++visits_ > kMaxVisits) fail(place, "has more entries than a state dict");
  }

  [[noreturn]] void fail(const std::string& name, std::string_view message) const {
    throw Error(ErrorKind::kData, name.empty() ? fmt::format("{}: {}", file_, message)
                                               : fmt::format("{}: '{}' {}", file_, name, message));
  }

  const Pickle& pickle_;
  const std::string& file_;
  std::vector<NamedTensor> tensors_;
  std::size_t visits_ = 0;
  std::size_t name_bytes_ = 0;
};

const PickleValue& choose_dict(const Pickle& pickle, const std::string& file) {
  const PickleValue* chosen = nullptr;
  std::string_view chosen_key;
  for (const auto& [key, value] : pickle.dict(pickle.root)) {
    if (value.kind == Kind::kTensor) return pickle.root;
  }
  for (const std::string_view key : {"state_dict", "model_state_dict", "model"}) {
    const PickleValue* found = pickle.find(pickle.root, key);
    if (found == nullptr || found->kind != Kind::kDict) continue;
    if (chosen != nullptr) {
      throw Error(
          ErrorKind::kData,
          fmt::format("{}: has weights under '{}' and under '{}'; save the one to use alone", file,
                      chosen_key, key));
    }
    chosen = found;
    chosen_key = key;
  }
  return chosen == nullptr ? pickle.root : *chosen;
}

}  // namespace

std::vector<NamedTensor> find_state_dict(const Pickle& pickle, const std::string& file) {
  if (pickle.root.kind != Kind::kDict) {
    throw Error(ErrorKind::kData, fmt::format("{}: holds {}; expected a state dict, as "
                                              "torch.save(model.state_dict(), ...) writes it",
                                              file, describe(pickle.root)));
  }
  Flattener flattener(pickle, file);
  flattener.add_dict(choose_dict(pickle, file), "", 0);
  std::vector<NamedTensor> tensors = flattener.take();
  if (tensors.empty()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: its dict has no tensor; expected a state dict", file));
  }
  return tensors;
}

}  // namespace yardstick::checkpoint
