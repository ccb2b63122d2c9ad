// Whole folders: the reference models open, and identities follow content alone.
#include "models/model_folder.hpp"

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "models/checkpoint/containers.hpp"
#include "tests/models/arch/memory_source.hpp"
#include "tests/models/arch/small_llama.hpp"
#include "tests/support/case_folder.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;
using models::ModelFolder;
using position::Kind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelFolder open(const fs::path& folder) {
  models::ModelSpec spec;
  spec.folder = folder;
  return ModelFolder(std::move(spec));
}

std::string refusal(const fs::path& folder) {
  return error_message([&] { (void)open(folder); });
}

std::vector<fs::path> folders_in(const char* relative) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(shared_path(relative))) {
    if (entry.is_directory()) out.push_back(entry.path());
  }
  return out;
}

void edit_config(const fs::path& folder, const nlohmann::json& changes) {
  nlohmann::json config = read_json(folder / "config.json");
  config.update(changes);
  write_file_atomically(folder / "config.json", config.dump());
}

/// A writable copy of a golden folder, without its large arrays.
void copy_model(const char* golden, const fs::path& to) {
  fs::create_directories(to);
  for (const char* file :
       {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}) {
    const fs::path from = shared_path(golden) / file;
    if (!fs::exists(from)) continue;
    write_file_atomically(to / file, read_file(from));
  }
}

TEST(ModelFolder, EveryOlmoFopeGoldenOpens) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int count = 0;
  for (const fs::path& folder : folders_in("golden/olmo_fope")) {
    SCOPED_TRACE(folder.string());
    EXPECT_NO_THROW({
      const ModelFolder model = open(folder);
      EXPECT_EQ(model.architecture().name(), "olmo_fope");
      EXPECT_EQ(model.weight_dtypes(), "F32");
      EXPECT_EQ(model.tokenizer(), nullptr);
    });
    ++count;
  }
  EXPECT_EQ(count, 22);
}

TEST(ModelFolder, EveryTransformersGoldenOpens) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int count = 0;
  for (const char* family : {"golden/hf", "golden/hf_transformers"}) {
    for (const fs::path& folder : folders_in(family)) {
      SCOPED_TRACE(folder.string());
      EXPECT_NO_THROW({
        const ModelFolder model = open(folder);
        const auto type = read_json(folder / "config.json").at("model_type").get<std::string>();
        EXPECT_EQ(model.architecture().name(), type);
      });
      ++count;
    }
  }
  EXPECT_EQ(count, 24 + 60);
}

// By hand from golden/olmo_fope/fope/config.yaml and golden.json.
TEST(ModelFolder, FopeGoldenHasItsNumbers) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const ModelFolder model = open(shared_path("golden/olmo_fope/fope"));
  const models::DecoderConfig& config = model.config();
  EXPECT_EQ(config.vocabulary, 256);
  EXPECT_EQ(config.width, 64);
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.mlp_width, 64);
  EXPECT_EQ(config.head, models::Head::kSeparate);
  EXPECT_EQ(config.norm.epsilon, 1e-6);
  EXPECT_EQ(config.position.kind, Kind::kFope);
  EXPECT_EQ(config.position.training_length, 64);
  EXPECT_EQ(config.position.fope.input_count, 3);
  EXPECT_EQ(config.position.fope.output_count, 3);
  EXPECT_EQ(model.encoding().frequencies(64).size(), 3U);
  // Embedding, head, final norm; per layer q k v o, up gate down, two norms, two 4 x 3 x 3 series.
  EXPECT_EQ(model.parameter_count(),
            2 * 256 * 64 + 64 + 3 * (4 * 64 * 64 + 3 * 64 * 64 + 128 + 72));
}

// By hand from golden/hf/llama_longrope/config.json.
TEST(ModelFolder, LongRopeGoldenHasItsNumbers) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const ModelFolder model = open(shared_path("golden/hf/llama_longrope"));
  const position::PositionPlan& plan = model.config().position;
  EXPECT_EQ(plan.training_length, 64);
  EXPECT_EQ(plan.scaling.factor, 4.0);  // 256 / 64
  EXPECT_EQ(plan.scaling.short_factor.front(), 1.0061);
  EXPECT_EQ(model.encoding().length_use(), position::LengthUse::kTotal);
}

TEST(ModelFolder, Stories260KHasATokenizerAndABos) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const ModelFolder model = open(shared_path("models/stories260K"));
  EXPECT_EQ(model.spec().name, "stories260K");
  ASSERT_NE(model.tokenizer(), nullptr);
  EXPECT_EQ(model.bos().id, 1);
  EXPECT_EQ(model.codec().window_prefix(), (std::vector<TokenId>{1}));
  EXPECT_EQ(model.codec().end_of_text(), 2);
  EXPECT_EQ(model.codec().vocabulary_size(), 512);
  const std::vector<TokenId> ids = model.codec().encode("Once upon a time");
  ASSERT_FALSE(ids.empty());
  EXPECT_NE(ids.front(), 1);  // the BOS belongs to the window, not to the text
  EXPECT_EQ(model.codec().decode(ids), "Once upon a time");
}

// cases/end-ids: generation_config.json has [2, 426].
TEST(ModelFolder, GenerationConfigEndsAnswersToo) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const CaseFolder folder("end-ids/gen-list");
  const ModelFolder model = open(folder.path());
  EXPECT_EQ(model.codec().end_of_generation(), (std::vector<TokenId>{2, 426}));
  EXPECT_EQ(model.codec().end_of_text(), 2);
  EXPECT_NE(model.fingerprint(), open(shared_path("models/stories260K")).fingerprint());
}

// cases/bos and cases/refusals: right values of transformers 5.12.1.
TEST(ModelFolder, ATokenizerJsonDecidesTheBosAndNotesWhatItOverrules) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const CaseFolder with_bos("bos/LlamaTokenizer-template1-addFalse");
  const ModelFolder with = open(with_bos.path());
  EXPECT_EQ(with.bos().id, 1);
  EXPECT_THAT(with.notes(), ElementsAre(HasSubstr("add_bos_token false")));
  const CaseFolder without_bos("bos/PreTrainedTokenizerFast-template0-addTrue");
  const ModelFolder without = open(without_bos.path());
  EXPECT_EQ(without.bos().id, std::nullopt);
  EXPECT_THAT(without.notes(), ElementsAre(HasSubstr("add_bos_token true")));
}

TEST(ModelFolder, WithoutATokenizerTextIsRefused) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const ModelFolder model = open(shared_path("golden/hf/llama_gqa"));
  EXPECT_EQ(model.bos().id, std::nullopt);
  EXPECT_TRUE(model.codec().window_prefix().empty());
  EXPECT_THAT(error_message([&] { (void)model.codec().encode("x"); }), HasSubstr("tokenizer.json"));
}

TEST(ModelFolder, ATokenizerWithMoreIdsThanRowsIsRefused) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const TemporaryFolder folder;
  copy_model("golden/hf/llama_gqa", folder / "m");
  fs::copy_file(shared_path("data/tokenizers/llama2/tokenizer.model"),
                folder / "m" / "tokenizer.model");
  EXPECT_THAT(refusal(folder / "m"), AllOf(HasSubstr("tokenizer.model: has token ids up to 31999"),
                                           HasSubstr("another model's tokenizer?")));
}

TEST(ModelFolder, TheRootOfAHubCachePointsToItsSnapshots) {
  const TemporaryFolder folder;
  const fs::path root = folder / "models--org--name";
  fs::create_directories(root / "snapshots" / "0123abcd");
  EXPECT_THAT(refusal(root), AllOf(HasSubstr("hub cache"), HasSubstr("snapshots/0123abcd")));
}

TEST(ModelFolder, ALinkToNothingInAHubCacheIsNamed) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const char* const file : {"config.json", "model.safetensors", "tokenizer.json",
                                 "tokenizer_config.json", "generation_config.json"}) {
    const TemporaryFolder folder;
    copy_model("golden/hf/llama_text_e2e", folder / "m");
    fs::remove(folder / "m" / file);
    fs::create_symlink("../../blobs/0123", folder / "m" / file);
    EXPECT_THAT(
        refusal(folder / "m"),
        HasSubstr(std::string(file) + ": is a link to ../../blobs/0123, which is not there"));
  }
}

TEST(ModelFolder, GitLfsPointersAreNamed) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const char* const file :
       {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}) {
    const TemporaryFolder folder;
    copy_model("golden/hf/llama_text_e2e", folder / "m");
    write_file_atomically(folder / "m" / file,
                          "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    EXPECT_THAT(refusal(folder / "m"), HasSubstr(std::string(file) + ": is a Git LFS pointer"));
  }
}

TEST(ModelFolder, FingerprintFollowsContentNotPlace) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const TemporaryFolder folder;
  copy_model("golden/hf/llama_text_e2e", folder / "a");
  copy_model("golden/hf/llama_text_e2e", folder / "b");
  const std::string original = open(folder / "a").fingerprint();
  EXPECT_EQ(original.size(), 64U);
  EXPECT_EQ(open(folder / "b").fingerprint(), original);

  std::string weights = read_file(folder / "b" / "model.safetensors");
  weights.back() = static_cast<char>(weights.back() ^ 1);
  write_file_atomically(folder / "b" / "model.safetensors", weights);
  EXPECT_NE(open(folder / "b").fingerprint(), original);

  edit_config(folder / "a", {{"torch_dtype", "float32"}});  // bookkeeping changes nothing
  EXPECT_EQ(open(folder / "a").fingerprint(), original);
  edit_config(folder / "a", {{"rope_theta", 20000.0}});
  EXPECT_NE(open(folder / "a").fingerprint(), original);
}

TEST(ModelFolder, AnOverrideChangesTheFingerprint) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  models::ModelSpec spec;
  spec.folder = shared_path("golden/hf/llama_gqa");
  spec.overrides.position = {{"rope_type", "yarn"}, {"factor", 4}};
  EXPECT_NE(ModelFolder(spec).fingerprint(), open(spec.folder).fingerprint());
}

TEST(ModelFolder, FopeBecomesNoneByOverride) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  models::ModelSpec spec;
  spec.folder = shared_path("golden/olmo_fope/fope");
  spec.overrides.position = {{"kind", "none"}};
  EXPECT_EQ(ModelFolder(spec).encoding().plan().kind, Kind::kNone);
}

TEST(ModelFolder, AWrongTrainingLengthIsExplained) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const TemporaryFolder folder;
  std::string yaml = read_file(shared_path("golden/olmo_fope/fope/config.yaml"));
  const std::string key = "max_sequence_length: 64";
  yaml.replace(yaml.find(key), key.size(), "max_sequence_length: 512");
  write_file_atomically(folder / "config.yaml", yaml);
  write_file_atomically(folder / "model.safetensors",
                        read_file(shared_path("golden/olmo_fope/fope/model.safetensors")));
  EXPECT_THAT(refusal(folder.path()), AllOf(HasSubstr("512"), HasSubstr("3 x 3")));
}

TEST(ModelFolder, BadFoldersSayWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder / "nowhere"), HasSubstr("no such model folder"));
  EXPECT_THAT(refusal(folder.path()), AllOf(HasSubstr("config.json"), HasSubstr("config.yaml")));
}

/// SmallLlama under other names, with another configuration.
ModelFolder renamed(const TemporaryFolder& folder, nlohmann::json config,
                    const std::function<std::string(const std::string&)>& name,
                    const std::vector<std::string>& others = {}) {
  SmallLlama model;
  model.config = std::move(config);
  for (auto& tensor : model.tensors) tensor.name = name(tensor.name);
  for (const std::string& other : others) model.add(other, {3, 5});
  model.write(folder);
  return open(folder.path());
}

TEST(ModelFolder, PrefixesOfWrappersAreTakenOff) {
  for (const std::string prefix :
       {"module.", "_orig_mod.", "base_model.model.", "module._orig_mod."}) {
    const TemporaryFolder folder;
    const ModelFolder model = renamed(folder, SmallLlama().config,
                                      [&](const std::string& name) { return prefix + name; });
    EXPECT_EQ(model.parameter_count(), 552) << prefix;
    EXPECT_THAT(model.notes().front(), HasSubstr("a wrapper wrote")) << prefix;
  }
}

TEST(ModelFolder, APrefixOfSomeTensorsIsNoWrapper) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_message([&] {
                (void)renamed(folder, SmallLlama().config, [&](const std::string& name) {
                  return name == "model.norm.weight" ? name : "module." + name;
                });
              }),
              HasSubstr("missing: 'model.embed_tokens.weight'"));
}

TEST(ModelFolder, TheTextModelOfAMultimodalOneOpens) {
  const auto in_front = [](const std::string& name) { return "language_model." + name; };
  const auto inside = [](const std::string& name) {
    return "model.language_model." + name.substr(std::string("model.").size());
  };
  const nlohmann::json config = {{"model_type", "llava"},
                                 {"vision_config", {{"hidden_size", 3}}},
                                 {"text_config", SmallLlama().config}};
  for (const std::function<std::string(const std::string&)>& name :
       {std::function<std::string(const std::string&)>(in_front), {inside}}) {
    const TemporaryFolder folder;
    const ModelFolder model = renamed(
        folder, config, name, {"vision_tower.patch.weight", "multi_modal_projector.weight"});
    EXPECT_EQ(model.config().architecture, "llama");
    EXPECT_EQ(model.parameter_count(), 552);
    EXPECT_THAT(model.notes().front(),
                HasSubstr("2 of other parts (vision, audio, projectors) are not"));
    EXPECT_EQ(source_of(model.config().position, "training_length"),
              "config.json: text_config: max_position_embeddings");
  }
}

TEST(ModelFolder, ATextModelThatIsNotSupportedIsNamed) {
  const TemporaryFolder folder;
  SmallLlama model;
  model.config = {{"model_type", "unheard"}, {"text_config", {{"model_type", "unknown_text"}}}};
  model.write(folder);
  EXPECT_THAT(refusal(folder.path()),
              AllOf(HasSubstr("text_config"), HasSubstr("model_type 'unknown_text'")));
  model.config["text_config"] = nlohmann::json::object();
  model.write(folder);
  EXPECT_THAT(refusal(folder.path()), HasSubstr("text_config has no model_type"));
}

}  // namespace
}  // namespace yardstick::test
