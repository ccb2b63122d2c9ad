#include "harness/plan/opened_model.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/position/plan.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;
using Stamps = std::map<fs::path, FileStamp>;

fs::path folder_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void stamp_folder(const fs::path& folder, Stamps& stamps) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.is_regular_file(ignored)) continue;
    if (std::optional<FileStamp> stamp = find_stamp(entry.path()))  // or it is gone again
      stamps.emplace(entry.path().lexically_normal(), *std::move(stamp));
  }
}

/// Everything that lies where a model's files are looked for.
Stamps stamp_all(const models::ModelSpec& spec) {
  Stamps stamps;
  stamp_folder(folder_of(spec.folder), stamps);
  if (spec.tokenizer) stamp_folder(folder_of(*spec.tokenizer), stamps);
  return stamps;
}

/// The files that a model's fingerprint and its codec are made of.
std::vector<fs::path> files_of(const models::ModelFolder& model) {
  std::vector<fs::path> files;
  for (const std::string& file : model.tensors().files()) files.emplace_back(file);
  std::vector<fs::path> folders = {folder_of(model.spec().folder)};
  if (model.tokenizer() != nullptr) {
    for (const fs::path& file : model.tokenizer()->files()) {
      files.push_back(file);
      folders.push_back(folder_of(file));
    }
  }
  for (const fs::path& folder : folders) {
    for (const char* name : {"config.json", "config.yaml", "generation_config.json",
                             "tokenizer_config.json", "special_tokens_map.json"})
      files.push_back(folder / name);
  }
  return files;
}

class FolderModel final : public OpenedModel {
 public:
  /// Weights are mapped and settings read before they are hashed, so stamps come first of all.
  explicit FolderModel(const models::ModelSpec& spec) : before_(stamp_all(spec)), folder_(spec) {
    static_cast<void>(folder_.fingerprint());  // hashed here, where models are opened in parallel
    Stamps used;
    for (const fs::path& file : files_of(folder_)) {
      const fs::path name = file.lexically_normal();
      if (const auto found = before_.find(name); found != before_.end())
        used.emplace(*found);
      else if (std::optional<FileStamp> stamp = find_stamp(name))  // in a folder further down
        used.emplace(name, *std::move(stamp));
    }
    before_.clear();
    for (const auto& [name, stamp] : used) {
      check_unchanged(stamp);
      files_.push_back(stamp);
    }
  }

  const TextCodec& codec() const override { return folder_.codec(); }
  const std::string& fingerprint() const override { return folder_.fingerprint(); }
  const std::vector<FileStamp>& files() const override { return files_; }
  bool has_tokenizer() const override { return folder_.tokenizer() != nullptr; }

  std::optional<std::int64_t> longest_sequence() const override {
    return folder_.encoding().longest_sequence();
  }

  position::LengthUse length_use() const override { return folder_.encoding().length_use(); }

  ModelRecord record() const override {
    const models::DecoderConfig& config = folder_.config();
    ModelRecord record;
    record.fingerprint = folder_.fingerprint();
    record.architecture = config.architecture;
    record.encoding = std::string(position::to_string(config.position.kind));
    record.parameters = folder_.parameter_count();
    record.weight_dtype = folder_.weight_dtypes();
    if (config.position.training_length > 0)
      record.training_length = config.position.training_length;
    record.position_plan = position::to_json(config.position, config.layer_plans).dump();
    record.tokenizer =
        has_tokenizer() ? folder_.tokenizer()->description() : std::string("none (token ids only)");
    const models::BosDecision& bos = folder_.bos();
    record.bos =
        bos.id ? fmt::format("{} ({})", *bos.id, bos.reason) : fmt::format("none ({})", bos.reason);
    const models::GenerationEnds& ends = folder_.generation_ends();
    record.generation_ends = ends.ids.empty()
                                 ? fmt::format("none ({})", ends.reason)
                                 : fmt::format("{} ({})", fmt::join(ends.ids, ", "), ends.reason);
    return record;
  }

  std::vector<std::string> notes() const override { return folder_.notes(); }

  std::unique_ptr<models::Engine> load(const models::EngineOptions& options) const override {
    return models::load_backend().load(folder_, options);
  }

 private:
  Stamps before_;
  models::ModelFolder folder_;
  std::vector<FileStamp> files_;
};

}  // namespace

std::unique_ptr<const OpenedModel> FolderModels::open(const models::ModelSpec& spec) const {
  return std::make_unique<FolderModel>(spec);
}

}  // namespace yardstick::harness
