// Source of the opcodes: CPython's pickle protocol (PEP 307, PEP 3154, PEP 574).
#include "models/checkpoint/pickle_machine.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "models/checkpoint/layout.hpp"

namespace yardstick::checkpoint {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMaxSteps = 8'000'000;  // a tensor takes about 40, so 200 000 tensors
constexpr std::size_t kMaxStack = 1'000'000;
constexpr std::size_t kMaxRank = 64;
// Of what is built, which a few bytes can multiply: one item of a memoised list takes one step,
// and a call on that list copies all of it. A tensor has about 30.
constexpr std::size_t kMaxItems = 5'000'000;

class Machine {
 public:
  explicit Machine(ByteInput& input) : input_(input) {}

  Pickle run() {
    if (input_.u8() != 0x80) throw input_.error("is not a pickle of protocol 2 to 5");
    read_protocol();
    for (std::size_t step = 0; step < kMaxSteps; ++step) {
      const std::uint8_t opcode = input_.u8();
      if (opcode == '.') {
        pickle_.root = pop();
        if (!stack_.empty() || !marks_.empty()) throw input_.error("ends with values left over");
        return std::move(pickle_);
      }
      if (!constant(opcode) && !text(opcode) && !container(opcode) && !memo(opcode) &&
          !call(opcode)) {
        throw input_.error(
            fmt::format("opcode 0x{:02x} has no place in a state dict, or the pickle is damaged",
                        static_cast<unsigned>(opcode)));
      }
      if (stack_.size() > kMaxStack)
        throw input_.error("more values are open than a state dict has");
    }
    throw input_.error(fmt::format("takes more than {} steps", kMaxSteps));
  }

 private:
  // --- stack -------------------------------------------------------------------------------------

  void push(PickleValue value) { stack_.push_back(value); }

  PickleValue pop() {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) throw input_.error("takes a value from an empty stack");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }

  PickleSequence pop_to_mark() {
    if (marks_.empty()) throw input_.error("has no mark where one is needed");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    PickleSequence items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  PickleSequence pop_count(std::size_t count) {
    PickleSequence items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  PickleValue& top(Kind kind, std::string_view what) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor || stack_.back().kind != kind) {
      throw input_.error(fmt::format("adds items to something that is not {}", what));
    }
    return stack_.back();
  }

  /// Called before so many items are built or gone through.
  void count_items(std::size_t count) {
    items_ += count;
    if (items_ > kMaxItems) {
      throw input_.error(
          fmt::format("builds more than {} items, which no state dict needs", kMaxItems));
    }
  }

  void push_sequence(Kind kind, PickleSequence items) {
    count_items(items.size());
    push({.kind = kind, .number = static_cast<std::int64_t>(pickle_.sequences.size())});
    pickle_.sequences.push_back(std::move(items));
  }

  void push_dict(PickleDict items) {
    push({.kind = Kind::kDict, .number = static_cast<std::int64_t>(pickle_.dicts.size())});
    pickle_.dicts.push_back(std::move(items));
  }

  // --- opcodes: each returns whether it knows the opcode -----------------------------------------

  bool constant(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80: read_protocol(); return true;
      case 0x95: static_cast<void>(input_.u64()); return true;  // FRAME only helps a stream reader
      case 'N': push({.kind = Kind::kNone}); return true;
      case 0x88: push({.kind = Kind::kBool, .number = 1}); return true;
      case 0x89: push({.kind = Kind::kBool, .number = 0}); return true;
      case 'J': push({.kind = Kind::kInteger, .number = input_.i32()}); return true;
      case 'K': push({.kind = Kind::kInteger, .number = input_.u8()}); return true;
      case 'M': push({.kind = Kind::kInteger, .number = input_.u16()}); return true;
      case 0x8a: push(long_integer(input_.u8())); return true;
      case 0x8b: push(long_integer(input_.u32())); return true;
      case 'G': push({.kind = Kind::kFloat, .real = input_.big_endian_double()}); return true;
      default: return false;
    }
  }

  bool text(std::uint8_t opcode) {
    std::uint64_t size = 0;
    switch (opcode) {
      case 0x8c:  // SHORT_BINUNICODE
      case 'C':   // SHORT_BINBYTES
      case 'U': size = input_.u8(); break;
      case 'X':  // BINUNICODE
      case 'B':  // BINBYTES
      case 'T': size = input_.u32(); break;
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
      case 0x96: size = input_.u64(); break;
      default: return false;
    }
    push({.kind = Kind::kText, .text = input_.text(size)});
    return true;
  }

  bool container(std::uint8_t opcode) {
    switch (opcode) {
      case '(': marks_.push_back(stack_.size()); return bounded_marks();
      case ']': push_sequence(Kind::kList, {}); return true;
      case ')': push_sequence(Kind::kTuple, {}); return true;
      case '}': push_dict({}); return true;
      case 't': push_sequence(Kind::kTuple, pop_to_mark()); return true;
      case 0x85: push_sequence(Kind::kTuple, pop_count(1)); return true;
      case 0x86: push_sequence(Kind::kTuple, pop_count(2)); return true;
      case 0x87: push_sequence(Kind::kTuple, pop_count(3)); return true;
      case 'a': append(pop_count(1)); return true;
      case 'e': append(pop_to_mark()); return true;
      case 's': set_items(pop_count(2)); return true;
      case 'u': set_items(pop_to_mark()); return true;
      default: return false;
    }
  }

  bool memo(std::uint8_t opcode) {
    switch (opcode) {
      case 'q': remember(input_.u8()); return true;
      case 'r': remember(input_.u32()); return true;
      case 0x94: remember(static_cast<std::uint32_t>(memo_.size())); return true;
      case 'h': recall(input_.u8()); return true;
      case 'j': recall(input_.u32()); return true;
      default: return false;
    }
  }

  bool call(std::uint8_t opcode) {
    switch (opcode) {
      case 'c': {
        const std::string_view module = input_.line();
        push_global(module, input_.line());
        return true;
      }
      case 0x93: {
        const PickleValue name = pop();
        const PickleValue module = pop();
        if (name.kind != Kind::kText || module.kind != Kind::kText) {
          throw input_.error("asks for a global whose name is not a text");
        }
        push_global(module.text, name.text);
        return true;
      }
      case 'R': reduce(); return true;
      case 'b': build(); return true;
      case 'Q': push_storage(pop()); return true;
      default: return false;
    }
  }

  // --- what the opcodes do -----------------------------------------------------------------------

  void read_protocol() {
    const std::uint8_t protocol = input_.u8();
    if (protocol < 2 || protocol > 5) {
      throw input_.error(fmt::format("has pickle protocol {}; expected 2 to 5", protocol));
    }
  }

  PickleValue long_integer(std::uint64_t size) {
    const std::string_view bytes = input_.text(size);
    if (bytes.size() > 8) return {.kind = Kind::kBigInteger, .text = bytes};
    const bool is_negative =
        !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
    std::int64_t number = is_negative ? -1 : 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    return {.kind = Kind::kInteger, .number = number};
  }

  bool bounded_marks() const {
    if (marks_.size() > kMaxStack) throw input_.error("more marks are open than a state dict has");
    return true;
  }

  void append(const PickleSequence& items) {
    PickleSequence& list = pickle_.sequence(top(Kind::kList, "a list"));
    count_items(items.size());
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const PickleSequence& items) {
    PickleDict& dict = pickle_.dict(top(Kind::kDict, "a dict"));
    if (items.size() % 2 != 0) throw input_.error("sets a key without a value");
    count_items(items.size());
    for (std::size_t i = 0; i < items.size(); i += 2) dict.emplace_back(items[i], items[i + 1]);
  }

  void remember(std::uint32_t index) {
    if (stack_.empty()) throw input_.error("remembers a value of an empty stack");
    count_items(memo_.contains(index) ? 0 : 1);
    memo_[index] = stack_.back();
  }

  void recall(std::uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) throw input_.error(fmt::format("recalls value {}, never set", index));
    push(found->second);
  }

  void push_global(std::string_view module, std::string_view name) {
    const std::optional<PickleValue> found = find_global(module, name);
    if (!found) {
      throw input_.error(fmt::format(
          "asks for {}.{}, which is not among the names that a state dict needs and is refused "
          "(nothing was run); save the weights alone with torch.save(model.state_dict(), ...) or "
          "as "
          "safetensors",
          printable(module), printable(name)));
    }
    push(*found);
  }

  void reduce() {
    const PickleValue arguments = pop();
    const PickleValue callable = pop();
    if (callable.kind != Kind::kCallable || arguments.kind != Kind::kTuple) {
      throw input_.error(fmt::format("calls {} with {}", describe(callable), describe(arguments)));
    }
    const PickleSequence& given = pickle_.sequence(arguments);  // in a deque: it stays in place
    switch (callable.callable) {
      case Callable::kOrderedDict: return ordered_dict(given);
      case Callable::kRebuildTensor: return rebuild_tensor(given);
      case Callable::kRebuildParameter: return rebuild_parameter(given);
      case Callable::kSize: return size(given);
      case Callable::kStorageClass: throw input_.error("makes a storage by calling its class");
    }
  }

  // OrderedDict() or OrderedDict([(key, value), ...]).
  void ordered_dict(const PickleSequence& given) {
    PickleDict items;
    if (given.size() > 1 || (given.size() == 1 && given[0].kind != Kind::kList)) {
      throw input_.error("makes an OrderedDict of something that is not a list of pairs");
    }
    if (!given.empty()) {
      count_items(2 * pickle_.sequence(given[0]).size());
      for (const PickleValue& item : pickle_.sequence(given[0])) {
        const bool is_sequence = item.kind == Kind::kTuple || item.kind == Kind::kList;
        if (!is_sequence || pickle_.sequence(item).size() != 2) {
          throw input_.error("makes an OrderedDict of something that is not a list of pairs");
        }
        items.emplace_back(pickle_.sequence(item)[0], pickle_.sequence(item)[1]);
      }
    }
    push_dict(std::move(items));
  }

  // (storage, storage_offset, size, stride, requires_grad, backward_hooks[, metadata])
  void rebuild_tensor(const PickleSequence& given) {
    if (given.size() < 6 || given.size() > 7 || given[0].kind != Kind::kStorage ||
        given[1].kind != Kind::kInteger) {
      throw input_.error("rebuilds a tensor from something that is not a storage and its view");
    }
    const bool has_metadata = given.size() == 7 && given[6].kind != Kind::kNone;
    if (has_metadata && (given[6].kind != Kind::kDict || !pickle_.dict(given[6]).empty())) {
      throw input_.error("rebuilds a tensor with a lazy conjugate or negation; save it resolved");
    }
    push({.kind = Kind::kTensor, .number = static_cast<std::int64_t>(pickle_.tensors.size())});
    pickle_.tensors.push_back({.storage = static_cast<std::size_t>(given[0].number),
                               .offset = given[1].number,
                               .shape = sizes(given[2]),
                               .strides = sizes(given[3])});
  }

  // (data, requires_grad, backward_hooks): a parameter is its data.
  void rebuild_parameter(const PickleSequence& given) {
    if (given.size() != 3 || given[0].kind != Kind::kTensor) {
      throw input_.error("rebuilds a parameter from something that is not a tensor");
    }
    push(given[0]);
  }

  void size(const PickleSequence& given) {
    if (given.size() != 1) throw input_.error("makes a torch.Size of something else than sizes");
    static_cast<void>(sizes(given[0]));
    push(given[0]);
  }

  std::vector<std::int64_t> sizes(const PickleValue& value) {
    const bool is_sequence = value.kind == Kind::kTuple || value.kind == Kind::kList;
    if (!is_sequence || pickle_.sequence(value).size() > kMaxRank) {
      throw input_.error(fmt::format("has {} as a shape or strides", describe(value)));
    }
    count_items(pickle_.sequence(value).size());
    std::vector<std::int64_t> numbers;
    for (const PickleValue& item : pickle_.sequence(value)) {
      if (item.kind != Kind::kInteger || item.number < 0) {
        throw input_.error(fmt::format("has {} in a shape or strides", describe(item)));
      }
      numbers.push_back(item.number);
    }
    return numbers;
  }

  // A module's state dict carries an attribute _metadata (versions of its layers): no weights
  // there.
  void build() {
    const PickleValue state = pop();
    const PickleValue& target = top(Kind::kDict, "a dict");
    bool is_metadata = state.kind == Kind::kDict;
    if (is_metadata) {
      count_items(pickle_.dict(state).size());
      for (const auto& [key, value] : pickle_.dict(state)) {
        is_metadata = is_metadata && key.kind == Kind::kText && key.text == "_metadata";
      }
    }
    if (!is_metadata) {
      throw input_.error(
          fmt::format("sets attributes of {} other than _metadata", describe(target)));
    }
  }

  // ('storage', class, key, location, elements[, view of another storage]). The location (a device
  // of the machine that saved the file) does not matter here.
  void push_storage(const PickleValue& id) {
    const PickleSequence parts = id.kind == Kind::kTuple ? pickle_.sequence(id) : PickleSequence();
    const bool is_storage =
        (parts.size() == 5 || (parts.size() == 6 && parts[5].kind == Kind::kNone)) &&
        parts[0].kind == Kind::kText && parts[0].text == "storage" &&
        parts[1].kind == Kind::kCallable && parts[1].callable == Callable::kStorageClass &&
        parts[2].kind == Kind::kText && parts[4].kind == Kind::kInteger && parts[4].number >= 0;
    if (!is_storage)
      throw input_.error("refers to something that is not a storage of a known class");
    const std::string key(parts[2].text);
    const PickleStorage storage{.key = key, .dtype = parts[1].dtype, .elements = parts[4].number};
    const auto [found, is_new] = storages_.emplace(key, pickle_.storages.size());
    if (is_new) pickle_.storages.push_back(storage);
    const PickleStorage& first = pickle_.storages[found->second];
    if (first.dtype != storage.dtype || first.elements != storage.elements) {
      throw input_.error(fmt::format("storage '{}' is once {} x {} and once {} x {}",
                                     printable(key), first.elements, to_string(first.dtype),
                                     storage.elements, to_string(storage.dtype)));
    }
    push({.kind = Kind::kStorage, .number = static_cast<std::int64_t>(found->second)});
  }

  ByteInput& input_;
  Pickle pickle_;
  std::size_t items_ = 0;
  PickleSequence stack_;
  std::vector<std::size_t> marks_;  ///< stack heights
  std::unordered_map<std::uint32_t, PickleValue> memo_;
  std::unordered_map<std::string, std::size_t> storages_;  ///< by key
};

}  // namespace

Pickle unpickle(ByteInput& input) { return Machine(input).run(); }

}  // namespace yardstick::checkpoint
