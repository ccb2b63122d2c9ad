// Index and shards have to agree exactly (users.md B-65, B-66); an index cannot name files outside
// its folder.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/containers.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using testing::HasSubstr;

std::string one_byte_shard(std::string_view tensor) {
  return safetensors_file(
      fmt::format(R"({{"{}":{{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}}})", tensor), 1);
}

class Sharded : public testing::Test {
 protected:
  Sharded() {
    write_bytes(folder_ / "1.safetensors", one_byte_shard("a"));
    write_bytes(folder_ / "2.safetensors", one_byte_shard("b"));
  }

  void write_index(std::string_view weight_map) {
    write_bytes(index(), fmt::format(R"({{"metadata":{{}},"weight_map":{}}})", weight_map));
  }

  std::filesystem::path index() const { return folder_ / "model.safetensors.index.json"; }

  std::string refusal() const {
    return error_message([&] { static_cast<void>(checkpoint::open_sharded_safetensors(index())); });
  }

  TemporaryFolder folder_;
};

TEST_F(Sharded, TensorsOfAllShardsAreFoundByName) {
  write_index(R"({"b":"2.safetensors","a":"1.safetensors"})");
  const auto source = checkpoint::open_folder(folder_.path());
  ASSERT_EQ(source->tensors().size(), 2U);
  EXPECT_NE(find_tensor(*source, "a"), nullptr);
  EXPECT_THAT(find_tensor(*source, "b")->file, HasSubstr("2.safetensors"));
  EXPECT_EQ(find_tensor(*source, "c"), nullptr);
}

TEST_F(Sharded, ALinkToAShardElsewhereIsFollowed) {
  const TemporaryFolder elsewhere;
  write_bytes(elsewhere / "blob", one_byte_shard("c"));
  std::filesystem::create_symlink(elsewhere / "blob", folder_ / "3.safetensors");
  write_index(R"({"c":"3.safetensors"})");
  EXPECT_NE(find_tensor(*checkpoint::open_sharded_safetensors(index()), "c"), nullptr);
}

TEST_F(Sharded, MissingShardsAreNamedBeforeAnythingIsRead) {
  write_index(R"({"a":"1.safetensors","x":"8.safetensors","y":"9.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("not in the folder: 8.safetensors, 9.safetensors"));
}

TEST_F(Sharded, ACutShardIsRefused) {
  const std::string whole = one_byte_shard("b");
  write_bytes(folder_ / "2.safetensors", std::string_view(whole).substr(0, whole.size() - 1));
  write_index(R"({"a":"1.safetensors","b":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("2.safetensors"));
  EXPECT_THAT(refusal(), HasSubstr("cut"));
}

TEST_F(Sharded, ATensorWhereTheIndexDoesNotPutItIsRefused) {
  write_index(R"({"a":"1.safetensors","b":"1.safetensors","c":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'b': is listed in the index for 1.safetensors"));
}

TEST_F(Sharded, ATensorThatTheIndexDoesNotListIsRefused) {
  write_bytes(folder_ / "2.safetensors", one_byte_shard("stray"));
  write_index(R"({"a":"1.safetensors","b":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'stray': is not in the index"));
}

TEST_F(Sharded, ATensorThatItsShardDoesNotHaveIsRefused) {
  write_index(R"({"a":"1.safetensors","b":"2.safetensors","c":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("lists tensor 'c' for 2.safetensors"));
}

TEST_F(Sharded, ATensorInTwoShardsIsRefused) {
  write_bytes(folder_ / "2.safetensors", one_byte_shard("a"));
  write_index(R"({"a":"1.safetensors","b":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'a': is listed in the index for 1.safetensors"));
}

TEST_F(Sharded, NamesThatLeaveTheFolderAreRefused) {
  const std::string outside = folder_.path().string() + "/1.safetensors";
  for (const std::string& name :
       {std::string("../1.safetensors"), std::string("x/../../1.safetensors"), outside,
        std::string(""), std::string(".."), std::string("1.safetensors\\u0000x")}) {
    write_index(fmt::format(R"({{"a":"{}"}})", name));
    EXPECT_THAT(refusal(), HasSubstr("not a file in its folder")) << name;
  }
}

TEST_F(Sharded, AnIndexWithoutAWeightMapIsRefused) {
  for (const std::string_view text : {"{}", "[]", R"({"weight_map":3})", R"({"weight_map":{}})"}) {
    write_bytes(index(), text);
    EXPECT_THAT(refusal(), HasSubstr("weight_map")) << text;
  }
  write_index(R"({"a":1})");
  EXPECT_THAT(refusal(), HasSubstr("the shard of 'a' is not a text"));
  write_index(R"({"a":"1.safetensors","a":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'a' stands twice"));
}

}  // namespace
}  // namespace yardstick::test
