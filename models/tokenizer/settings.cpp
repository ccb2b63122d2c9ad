#include "models/tokenizer/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kNamed = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

bool has(const std::vector<AddedToken>& tokens, std::string_view text) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const AddedToken& token) { return token.text == text; });
}

TokenId id_key(const Located& file, const std::string& pointer, std::string_view key) {
  std::int64_t id = -1;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc{} || end != key.data() + key.size() || id < 0 || id >= kMostIds) {
    throw Error(ErrorKind::kData, fmt::format("{}: the key '{}' is no id from 0 to {}",
                                              file.where(pointer), key, kMostIds - 1));
  }
  return static_cast<TokenId>(id);
}

/// A text, or an object with the text as content and the options of an added token.
std::optional<AddedToken> read_named(const Located& file, const std::string& pointer) {
  const nlohmann::json& value = file.values().at(nlohmann::json::json_pointer(pointer));
  AddedToken token;
  token.role = Vocabulary::Role::kSpecial;
  if (value.is_string()) {
    token.text = value.get<std::string>();
  } else if (value.is_object() && value.contains("content")) {
    token = read_added_token(file, pointer, token);
  }
  if (token.text.empty()) return std::nullopt;
  return token;
}

class Reader {
 public:
  TokenizerSettings read(const fs::path& folder) {
    out_.config = folder / "tokenizer_config.json";
    each(out_.config, [&](const Located& file) { read_config(file); });
    each(folder / "special_tokens_map.json", [&](const Located& file) { read_names(file); });
    each(folder / "added_tokens.json", [&](const Located& file) { read_ids(file); });
    return std::move(out_);
  }

 private:
  template <typename Read>
  void each(const fs::path& path, const Read& read) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    nlohmann::json values = read_json(path);
    if (!values.is_object())
      throw Error(ErrorKind::kData, fmt::format("{}: expected an object", path.string()));
    read(Located(std::move(values), path.string()));
    out_.files.push_back(path);
  }

  void read_config(const Located& file) {
    Fields fields(file, "", "tokenizer_config.json");  // its other keys are not about ids
    for (const auto& [key, pointer] : fields.members("added_tokens_decoder")) {
      AddedToken token;
      token.id = id_key(file, pointer, key);
      out_.added.push_back(read_added_token(file, pointer, token));
    }
    out_.add_prefix_space = fields.optional_flag("add_prefix_space");
    out_.legacy = fields.optional_flag("legacy");
    out_.tokenizer_class = fields.optional_text("tokenizer_class").value_or("");
    if (out_.tokenizer_class.ends_with("Fast"))
      out_.tokenizer_class.resize(out_.tokenizer_class.size() - 4);
    read_names(file);
  }

  void read_names(const Located& file) {
    const nlohmann::json& values = file.values();
    for (const std::string_view key : kNamed) {
      if (values.contains(key)) add_named(read_named(file, fmt::format("/{}", key)));
    }
    const auto list = values.find("additional_special_tokens");
    if (list == values.end() || !list->is_array()) return;
    for (std::size_t i = 0; i < list->size(); ++i)
      add_named(read_named(file, fmt::format("/additional_special_tokens/{}", i)));
  }

  void add_named(const std::optional<AddedToken>& token) {
    if (token && !has(out_.named, token->text)) out_.named.push_back(*token);
  }

  /// {"<token>": id}
  void read_ids(const Located& file) {
    for (const auto& [text, value] : file.values().items()) {
      const bool is_id = value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                         value.get<std::int64_t>() < kMostIds;
      if (!is_id) {
        throw Error(
            ErrorKind::kData,
            fmt::format("{}: the id of '{}' is {:.40}, expected a whole number from 0 to {}",
                        file.file(), text, value.dump(), kMostIds - 1));
      }
      if (has(out_.added, text)) continue;
      AddedToken token;
      token.text = text;
      token.id = value.get<TokenId>();
      if (has(out_.named, text)) token.role = Vocabulary::Role::kSpecial;
      out_.added.push_back(token);
    }
  }

  TokenizerSettings out_;
};

}  // namespace

TokenizerSettings read_settings(const fs::path& folder) { return Reader().read(folder); }

void add_tokens(const TokenizerSettings& settings, PipelineParts& parts) {
  const std::size_t before = parts.added.size();
  try {
    for (const AddedToken& token : settings.added) {
      if (has(parts.added, token.text)) continue;
      parts.vocabulary.add(token.text, token.id, token.role);
      parts.added.push_back(token);
    }
    for (AddedToken token : settings.named) {
      const std::optional<TokenId> id = parts.vocabulary.id_of(token.text);
      if (has(parts.added, token.text) || !id) continue;
      token.id = *id;
      parts.vocabulary.add(token.text, token.id, token.role);
      parts.added.push_back(token);
    }
  } catch (const Error& error) {
    throw error.within(settings.config.string());
  }
  if (parts.added.size() == before) return;
  parts.files.insert(parts.files.end(), settings.files.begin(), settings.files.end());
  put_special_first(parts.added);
}

}  // namespace yardstick::tokenizer
