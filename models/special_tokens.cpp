#include "models/special_tokens.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/json.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;

struct Declared {
  TokenId id = 0;
  std::string where;
};

/// "bos_token" of a tokenizer file: text, or an object with the text as content.
std::optional<std::string> token_text(const nlohmann::json& file, const std::string& key) {
  if (!file.is_object() || !file.contains(key)) return std::nullopt;
  const nlohmann::json& value = file.at(key);
  if (value.is_string()) return value.get<std::string>();
  const bool has_content = value.is_object() && value.contains("content");
  if (!has_content || !value.at("content").is_string()) return std::nullopt;
  return value.at("content").get<std::string>();
}

std::optional<Declared> from_tokenizer_file(const TokenDeclarations& declared,
                                            const nlohmann::json& file, const std::string& name,
                                            const std::string& key) {
  const std::optional<std::string> text = token_text(file, key);
  if (!text || declared.tokenizer == nullptr) return std::nullopt;
  const std::optional<TokenId> id = declared.tokenizer->id_of(*text);
  if (!id) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: {} is '{}', which the tokenizer does not have", name, key, *text));
  }
  return Declared{*id, fmt::format("{}: {} '{}'", name, key, *text)};
}

/// "bos_token_id" of the configuration: a number, or a list of which the first counts.
std::optional<Declared> from_config(const TokenDeclarations& declared, const std::string& key) {
  if (!declared.model.is_object() || !declared.model.contains(key)) return std::nullopt;
  nlohmann::json value = declared.model.at(key);
  if (value.is_array() && !value.empty()) value = nlohmann::json(value.front());
  if (!value.is_number_integer()) return std::nullopt;
  const auto id = value.get<std::int64_t>();
  if (id < 0 || id >= declared.vocabulary) return std::nullopt;  // -1 and the like mean none
  return Declared{static_cast<TokenId>(id), fmt::format("{}: {}", declared.model_file, key)};
}

std::optional<Declared> find_token(const TokenDeclarations& declared, const std::string& name) {
  const std::string key = name + "_token";
  if (auto found =
          from_tokenizer_file(declared, declared.tokenizer_config, "tokenizer_config.json", key)) {
    return found;
  }
  if (auto found = from_tokenizer_file(declared, declared.special_tokens_map,
                                       "special_tokens_map.json", key)) {
    return found;
  }
  return from_config(declared, key + "_id");
}

std::optional<Declared> from_tokenizer(const TokenDeclarations& declared) {
  if (declared.tokenizer == nullptr) return std::nullopt;
  const std::vector<TokenId>& before = declared.tokenizer->specials().before;
  if (before.size() != 1) return std::nullopt;
  return Declared{before.front(), "the tokenizer, which puts it first"};
}

BosDecision with_bos(const TokenDeclarations& declared, const std::string& why) {
  std::optional<Declared> bos = find_token(declared, "bos");
  if (!bos) bos = from_tokenizer(declared);
  if (!bos) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}, but neither tokenizer_config.json, special_tokens_map.json, {} "
                            "nor the tokenizer names a BOS token; set bos: never",
                            why, declared.model_file));
  }
  if (bos->id >= declared.vocabulary) {
    throw Error(ErrorKind::kModel, fmt::format("{}: BOS is id {}, but the embedding has {} rows",
                                               bos->where, bos->id, declared.vocabulary));
  }
  return {.id = bos->id, .reason = fmt::format("{}; id from {}", why, bos->where)};
}

BosDecision from_template(const TokenDeclarations& declared) {
  if (declared.tokenizer == nullptr) return {.id = std::nullopt, .reason = "no tokenizer"};
  const std::vector<TokenId>& before = declared.tokenizer->specials().before;
  if (before.empty()) {
    return {.id = std::nullopt,
            .reason = "no add_bos_token, and the tokenizer puts nothing before a text"};
  }
  if (before.size() > 1 || before.front() >= declared.vocabulary) {
    throw Error(ErrorKind::kModel,
                fmt::format("the tokenizer puts {} tokens before a text, the first with id {} (the "
                            "embedding has {} rows); expected one BOS. Set bos: always or never",
                            before.size(), before.front(), declared.vocabulary));
  }
  return {.id = before.front(), .reason = "the tokenizer puts it first"};
}

}  // namespace

BosDecision decide_bos(BosPolicy policy, const TokenDeclarations& declared) {
  if (policy == BosPolicy::kNever) return {.id = std::nullopt, .reason = "bos: never"};
  if (policy == BosPolicy::kAlways) return with_bos(declared, "bos: always");
  const nlohmann::json& config = declared.tokenizer_config;
  const bool says = config.is_object() && config.contains("add_bos_token") &&
                    !config.at("add_bos_token").is_null();
  if (!says) return from_template(declared);
  const nlohmann::json& adds = config.at("add_bos_token");
  if (!adds.is_boolean()) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("tokenizer_config.json: add_bos_token is {:.40}, expected true or false",
                    adds.dump()));
  }
  if (adds.get<bool>()) {
    return with_bos(declared, "tokenizer_config.json: add_bos_token true");
  }
  return {.id = std::nullopt, .reason = "tokenizer_config.json: add_bos_token false"};
}

std::optional<TokenId> end_of_text(const TokenDeclarations& declared) {
  const std::optional<Declared> found = find_token(declared, "eos");
  return found ? std::optional(found->id) : std::nullopt;
}

void read_token_files(const fs::path& folder, TokenDeclarations& declared) {
  const auto read = [&](const char* name, nlohmann::json& out) {
    if (fs::exists(folder / name)) out = read_json(folder / name);
  };
  read("tokenizer_config.json", declared.tokenizer_config);
  read("special_tokens_map.json", declared.special_tokens_map);
}

}  // namespace yardstick::models
