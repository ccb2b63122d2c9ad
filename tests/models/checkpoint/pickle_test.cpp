// The pickle machine: what it refuses, and that nothing makes it run or grow without end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/pickle_machine.hpp"
#include "models/checkpoint/state_dict.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using checkpoint::ByteInput;
using checkpoint::Pickle;
using Kind = checkpoint::PickleValue::Kind;
using testing::HasSubstr;

Pickle read(const std::string& bytes) {
  ByteInput input(as_bytes(bytes), "p");
  return checkpoint::unpickle(input);
}

std::string refusal(const std::string& bytes) {
  return error_message([&] { static_cast<void>(read(bytes)); });
}

std::string with_root(const std::string& root) { return pickled::document(root); }

const std::string kTensor = pickled::tensor(pickled::storage("FloatStorage", "0", 4),
                                            {.offset = 0, .shape = {2, 2}, .strides = {2, 1}});

TEST(Pickle, NamesOutsideTheListAreRefusedByName) {
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                        {"builtins", "eval"},
                                                        {"torch", "load"},
                                                        {"torch", "ComplexFloatStorage"},
                                                        {"torch._utils", "_rebuild_tensor"},
                                                        {"collections", "OrderedDict.pop"}}) {
    EXPECT_THAT(refusal(with_root(pickled::global(module, name))),
                HasSubstr("asks for " + module + "." + name));
    EXPECT_THAT(refusal(with_root(pickled::text(module) + pickled::text(name) + "\x93")),
                HasSubstr("asks for " + module + "." + name));
  }
}

TEST(Pickle, NamesInMessagesHaveNoControlCharacters) {
  EXPECT_THAT(refusal(with_root(pickled::global("os\x1b[2J", "x"))), HasSubstr("os?[2J.x"));
}

TEST(Pickle, OpcodesThatMakeObjectsAreRefused) {
  const std::string ordered = pickled::global("collections", "OrderedDict");
  for (const std::string& opcode : {std::string(")\x81"), std::string("(o"), std::string("(i"),
                                    std::string("\x82\x01"), std::string("P0\n")}) {
    EXPECT_THAT(refusal(with_root(ordered + opcode)), HasSubstr("opcode 0x"));
  }
}

TEST(Pickle, EveryCutIsRefused) {
  const std::string whole = with_root(pickled::dict({{"w", kTensor}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(static_cast<void>(read(whole.substr(0, size))), Error) << size;
  }
}

TEST(Pickle, StackAndMemoCannotBeMisused) {
  EXPECT_THAT(refusal(with_root("")), HasSubstr("empty stack"));
  EXPECT_THAT(refusal(with_root("t")), HasSubstr("no mark"));
  EXPECT_THAT(refusal(with_root("N(\x85")), HasSubstr("empty stack"));  // not below a mark
  EXPECT_THAT(refusal(with_root("h\x07")), HasSubstr("recalls value 7"));
  EXPECT_THAT(refusal(with_root("q\x01")), HasSubstr("empty stack"));
  EXPECT_THAT(refusal(with_root("NN")), HasSubstr("left over"));
  EXPECT_THAT(refusal(with_root("N(Nu")), HasSubstr("not a dict"));
  EXPECT_THAT(refusal(with_root("}(Nu")), HasSubstr("key without a value"));
  EXPECT_THAT(refusal(with_root("NNa")), HasSubstr("not a list"));
  EXPECT_THAT(refusal(std::string("\x80\x09N.")), HasSubstr("protocol 9"));
  EXPECT_THAT(refusal("N."), HasSubstr("protocol 2 to 5"));
}

TEST(Pickle, LengthsBeyondThePickleAreRefused) {
  EXPECT_THAT(refusal(with_root("X" + little(0xffffffff, 4))), HasSubstr("4294967295 more bytes"));
  EXPECT_THAT(refusal(with_root("\x8d" + little(~std::uint64_t{0}, 8))), HasSubstr("more bytes"));
  EXPECT_THAT(refusal(with_root("\x8b" + little(0xffffffff, 4))), HasSubstr("more bytes"));
  EXPECT_THAT(refusal(with_root("cno newline")), HasSubstr("runs to the end"));
}

TEST(Pickle, IntegersKeepTheirSign) {
  const auto integer = [](const std::string& opcodes) {
    const Pickle pickle = read(with_root(opcodes));
    EXPECT_EQ(pickle.root.kind, Kind::kInteger);
    return pickle.root.number;
  };
  EXPECT_EQ(integer(pickled::integer(-5)), -5);
  EXPECT_EQ(integer("M" + little(65535, 2)), 65535);
  EXPECT_EQ(integer(std::string("\x8a\x00", 2)), 0);
  EXPECT_EQ(integer("\x8a\x01\xff"), -1);
  EXPECT_EQ(integer(std::string("\x8a\x02\x00\x80", 4)), -32768);
  EXPECT_EQ(integer("\x8a\x08" + little(std::uint64_t{1} << 63, 8)), INT64_MIN);
  EXPECT_EQ(read(with_root("\x8a\x09" + std::string(9, '\x01'))).root.kind, Kind::kBigInteger);
}

TEST(Pickle, DeepAndCircularStructuresNeedNoRecursion) {
  std::string deep(100'000, ']');
  deep += std::string(99'999, 'a');
  EXPECT_EQ(read(with_root(deep)).root.kind, Kind::kList);
  EXPECT_EQ(read(with_root("]q\x01h\x01"
                           "a"))
                .root.kind,
            Kind::kList);  // a list in itself
  const Pickle circular = read(with_root("}q\x01(" + pickled::text("d") + "h\x01u"));
  EXPECT_THAT(error_message([&] { static_cast<void>(find_state_dict(circular, "f")); }),
              HasSubstr("nested too deeply"));
}

TEST(Pickle, StepsAndStackAreBounded) {
  EXPECT_THAT(refusal("\x80\x02" + std::string(1'100'000, 'N')), HasSubstr("more values"));
  EXPECT_THAT(refusal("\x80\x02" + std::string(1'100'000, '(')), HasSubstr("more marks"));
  std::string busy = "\x80\x02]";
  for (int i = 0; i < 4'100'000; ++i) busy += "Na";
  EXPECT_THAT(refusal(busy + "."), HasSubstr("steps"));
}

// A list of 1000 pairs is 8 KB; each of 180,000 calls, 10 bytes long, would copy it: 17 GB.
TEST(Pickle, CallsCannotMultiplyAList) {
  const std::string call = pickled::global("collections", "OrderedDict");
  std::string pairs = "]q\x01(";
  for (int i = 0; i < 1000; ++i) pairs += "K\x01K\x02\x86";
  std::string bomb = "](" + call + "q\x02" + pairs + "e";
  for (int i = 0; i < 180'000; ++i) bomb += "h\x02h\x01\x85R";
  EXPECT_THAT(refusal(with_root(bomb + "e")), HasSubstr("builds more than 5000000 items"));
}

// Shapes of 64 sizes from one memoised tuple, and metadata that is gone through at each call.
TEST(Pickle, NeitherCanShapesNorAttributesBeMultiplied) {
  std::string shape = "(";
  for (int i = 0; i < 64; ++i) shape += "K\x01";
  shape += "tq\x02";
  const std::string size = pickled::global("torch", "Size") + "q\x03";
  std::string sizes = "](" + size + shape;
  for (int i = 0; i < 100'000; ++i) sizes += "h\x03h\x02\x85R";
  EXPECT_THAT(refusal(with_root(sizes + "e")), HasSubstr("builds more than"));
  std::string attributes = "}}q\x01(";
  for (int i = 0; i < 1000; ++i) attributes += pickled::text("_metadata") + "N";
  attributes += "u";
  std::string built = "}" + attributes.substr(1) + "b";
  for (int i = 0; i < 10'000; ++i)
    built +=
        "h\x01"
        "b";
  EXPECT_THAT(refusal(with_root(built)), HasSubstr("builds more than"));
}

TEST(Pickle, OnlyMetadataMayBeSetOnADict) {
  const std::string ordered = pickled::global("collections", "OrderedDict") + ")R";
  EXPECT_EQ(read(with_root(ordered + pickled::dict({{"_metadata", ordered}}) + "b")).root.kind,
            Kind::kDict);
  EXPECT_THAT(refusal(with_root(ordered + pickled::dict({{"__class__", "N"}}) + "b")),
              HasSubstr("other than _metadata"));
  EXPECT_THAT(refusal(with_root("]" + pickled::dict({{"_metadata", "N"}}) + "b")),
              HasSubstr("not a dict"));
}

TEST(Pickle, OrderedDictsOfPairsAndSizesAreRead) {
  const std::string pairs = "](" + pickled::tuple({pickled::text("k"), pickled::integer(1)}) + "e";
  const Pickle pickle = read(
      with_root(pickled::global("collections", "OrderedDict") + pickled::tuple({pairs}) + "R"));
  ASSERT_NE(pickle.find(pickle.root, "k"), nullptr);
  EXPECT_EQ(pickle.find(pickle.root, "k")->number, 1);
  const Pickle size =
      read(with_root(pickled::global("torch", "Size") +
                     pickled::tuple({pickled::tuple({pickled::integer(3)})}) + "R"));
  EXPECT_EQ(size.root.kind, Kind::kTuple);
}

TEST(Pickle, OneStorageHasOneTypeAndLength) {
  const std::string first = pickled::storage("FloatStorage", "0", 4);
  EXPECT_EQ(read(with_root(pickled::tuple({first, first}))).storages.size(), 1U);
  EXPECT_THAT(refusal(with_root(pickled::tuple({first, pickled::storage("FloatStorage", "0", 5)}))),
              HasSubstr("storage '0' is once 4 x F32 and once 5 x F32"));
  EXPECT_THAT(refusal(with_root(pickled::tuple({first, pickled::storage("HalfStorage", "0", 4)}))),
              HasSubstr("once 4 x F16"));
}

TEST(Pickle, MalformedTensorsAreRefused) {
  const std::string rebuild = pickled::global("torch._utils", "_rebuild_tensor_v2");
  EXPECT_THAT(refusal(with_root(rebuild + ")R")), HasSubstr("rebuilds a tensor"));
  EXPECT_THAT(refusal(with_root(pickled::global("torch._utils", "_rebuild_parameter") +
                                pickled::tuple({"N", "N", "N"}) + "R")),
              HasSubstr("rebuilds a parameter"));
  EXPECT_THAT(refusal(with_root(pickled::tensor(pickled::storage("FloatStorage", "0", 4),
                                                {.shape = {-1}, .strides = {1}}))),
              HasSubstr("in a shape or strides"));
  EXPECT_THAT(refusal(with_root("NQ")), HasSubstr("not a storage"));
  EXPECT_THAT(refusal(with_root(pickled::storage("FloatStorage", "0", -1))),
              HasSubstr("not a storage"));
}

}  // namespace
}  // namespace yardstick::test
