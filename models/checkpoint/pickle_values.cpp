#include "models/checkpoint/pickle_values.hpp"

#include <array>

#include "core/error.hpp"

namespace yardstick::checkpoint {
namespace {

using Kind = PickleValue::Kind;

struct StorageClass {
  std::string_view name;
  DType dtype;
};

constexpr std::array kStorageClasses = {StorageClass{"DoubleStorage", DType::kFloat64},
                                        StorageClass{"FloatStorage", DType::kFloat32},
                                        StorageClass{"HalfStorage", DType::kFloat16},
                                        StorageClass{"BFloat16Storage", DType::kBFloat16},
                                        StorageClass{"LongStorage", DType::kInt64},
                                        StorageClass{"IntStorage", DType::kInt32},
                                        StorageClass{"ShortStorage", DType::kInt16},
                                        StorageClass{"CharStorage", DType::kInt8},
                                        StorageClass{"ByteStorage", DType::kUInt8},
                                        StorageClass{"BoolStorage", DType::kBool}};

struct Function {
  std::string_view module;
  std::string_view name;
  Callable callable;
};

constexpr std::array kFunctions = {
    Function{"collections", "OrderedDict", Callable::kOrderedDict},
    Function{"torch._utils", "_rebuild_tensor_v2", Callable::kRebuildTensor},
    Function{"torch._utils", "_rebuild_parameter", Callable::kRebuildParameter},
    Function{"torch", "Size", Callable::kSize}};

}  // namespace

PickleSequence& Pickle::sequence(const PickleValue& value) {
  check(value.kind == Kind::kTuple || value.kind == Kind::kList, "the value is a tuple or a list");
  return sequences.at(static_cast<std::size_t>(value.number));
}

const PickleSequence& Pickle::sequence(const PickleValue& value) const {
  check(value.kind == Kind::kTuple || value.kind == Kind::kList, "the value is a tuple or a list");
  return sequences.at(static_cast<std::size_t>(value.number));
}

PickleDict& Pickle::dict(const PickleValue& value) {
  check(value.kind == Kind::kDict, "the value is a dict");
  return dicts.at(static_cast<std::size_t>(value.number));
}

const PickleDict& Pickle::dict(const PickleValue& value) const {
  check(value.kind == Kind::kDict, "the value is a dict");
  return dicts.at(static_cast<std::size_t>(value.number));
}

const PickleValue* Pickle::find(const PickleValue& value, std::string_view key) const {
  for (const auto& [name, item] : dict(value)) {
    if (name.kind == Kind::kText && name.text == key) return &item;
  }
  return nullptr;
}

std::string_view describe(const PickleValue& value) {
  switch (value.kind) {
    case Kind::kNone: return "None";
    case Kind::kBool: return "a truth value";
    case Kind::kInteger:
    case Kind::kBigInteger: return "an integer";
    case Kind::kFloat: return "a number";
    case Kind::kText: return "a text";
    case Kind::kTuple: return "a tuple";
    case Kind::kList: return "a list";
    case Kind::kDict: return "a dict";
    case Kind::kCallable: return "a class or function";
    case Kind::kStorage: return "a storage";
    case Kind::kTensor: return "a tensor";
  }
  throw Error(ErrorKind::kInternal, "a pickle value outside its enumeration");
}

std::optional<PickleValue> find_global(std::string_view module, std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.module == module && function.name == name) {
      return PickleValue{.kind = Kind::kCallable, .callable = function.callable};
    }
  }
  if (module != "torch") return std::nullopt;
  for (const StorageClass& storage : kStorageClasses) {
    if (storage.name == name) {
      return PickleValue{
          .kind = Kind::kCallable, .callable = Callable::kStorageClass, .dtype = storage.dtype};
    }
  }
  return std::nullopt;
}

}  // namespace yardstick::checkpoint
