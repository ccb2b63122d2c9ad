#include "models/special_tokens.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
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

/// The first of the tokenizer's files that names the token.
std::optional<Declared> from_tokenizer_files(const TokenDeclarations& declared,
                                             const std::string& key) {
  if (auto found =
          from_tokenizer_file(declared, declared.tokenizer_config, "tokenizer_config.json", key)) {
    return found;
  }
  return from_tokenizer_file(declared, declared.special_tokens_map, "special_tokens_map.json", key);
}

std::optional<Declared> find_token(const TokenDeclarations& declared, const std::string& name) {
  if (auto found = from_tokenizer_files(declared, name + "_token")) return found;
  return from_config(declared, name + "_token_id");
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
  return {.id = bos->id, .reason = fmt::format("{}; id from {}", why, bos->where), .note = {}};
}

BosDecision from_template(const TokenDeclarations& declared) {
  if (declared.tokenizer == nullptr)
    return {.id = std::nullopt, .reason = "no tokenizer", .note = {}};
  const std::vector<TokenId>& before = declared.tokenizer->specials().before;
  if (before.empty()) {
    return {.id = std::nullopt,
            .reason = "no add_bos_token, and the tokenizer puts nothing before a text",
            .note = {}};
  }
  if (before.size() > 1 || before.front() >= declared.vocabulary) {
    throw Error(ErrorKind::kModel,
                fmt::format("the tokenizer puts {} tokens before a text, the first with id {} (the "
                            "embedding has {} rows); expected one BOS. Set bos: always or never",
                            before.size(), before.front(), declared.vocabulary));
  }
  return {.id = before.front(), .reason = "the tokenizer puts it first", .note = {}};
}

/// The ids under "eos_token_id"; nothing if `object` does not say.
std::optional<std::vector<std::int64_t>> listed_ends(const nlohmann::json& object,
                                                     const std::string& file) {
  if (!object.is_object() || !object.contains("eos_token_id")) return std::nullopt;
  const nlohmann::json& value = object.at("eos_token_id");
  if (value.is_null()) return std::nullopt;
  std::vector<std::int64_t> ids;
  const auto take = [&](const nlohmann::json& id) {
    if (!id.is_number_integer()) {
      throw Error(ErrorKind::kModel, fmt::format("{}: eos_token_id is {:.40}, expected a token id "
                                                 "or a list of token ids",
                                                 file, value.dump()));
    }
    ids.push_back(id.get<std::int64_t>());
  };
  if (value.is_array()) {
    for (const nlohmann::json& id : value) take(id);
  } else {
    take(value);
  }
  return ids;
}

/// Whether tokenizer_config.json says that a BOS is added; nothing if it does not say.
std::optional<bool> add_bos_token(const nlohmann::json& config) {
  if (!config.is_object() || !config.contains("add_bos_token")) return std::nullopt;
  const nlohmann::json& adds = config.at("add_bos_token");
  if (adds.is_null()) return std::nullopt;
  if (adds.is_boolean()) return adds.get<bool>();
  throw Error(ErrorKind::kModel,
              fmt::format("tokenizer_config.json: add_bos_token is {:.40}, expected true or false",
                          adds.dump()));
}

BosDecision from_post_processor(const TokenDeclarations& declared, std::optional<bool> adds) {
  BosDecision decision = from_template(declared);
  decision.reason = decision.id ? "tokenizer.json: its post-processor puts it first"
                                : "tokenizer.json: its post-processor puts nothing before a text";
  if (adds && *adds != decision.id.has_value()) {
    decision.note = fmt::format(
        "tokenizer_config.json says add_bos_token {}, but the post-processor of tokenizer.json "
        "puts {} before a text, and it decides, as in transformers 5; bos: {} does the other",
        *adds, decision.id ? fmt::format("BOS {}", *decision.id) : "nothing",
        *adds ? "always" : "never");
  }
  return decision;
}

}  // namespace

BosDecision decide_bos(BosPolicy policy, const TokenDeclarations& declared) {
  if (policy == BosPolicy::kNever) return {.id = std::nullopt, .reason = "bos: never", .note = {}};
  if (policy == BosPolicy::kAlways) return with_bos(declared, "bos: always");
  const std::optional<bool> adds = add_bos_token(declared.tokenizer_config);
  const bool has_post_processor =
      declared.tokenizer != nullptr && declared.tokenizer->specials().origin ==
                                           tokenizer::Tokenizer::Specials::Origin::kPostProcessor;
  if (has_post_processor) return from_post_processor(declared, adds);
  if (!adds) return from_template(declared);
  if (*adds) return with_bos(declared, "tokenizer_config.json: add_bos_token true");
  return {.id = std::nullopt, .reason = "tokenizer_config.json: add_bos_token false", .note = {}};
}

std::optional<TokenId> end_of_text(const TokenDeclarations& declared) {
  const std::optional<Declared> found = find_token(declared, "eos");
  return found ? std::optional(found->id) : std::nullopt;
}

GenerationEnds decide_generation_ends(const TokenDeclarations& declared) {
  GenerationEnds ends;
  std::vector<std::string> sources;
  const auto add = [&](std::int64_t id, const std::string& where) {
    if (id == -1) return;  // what some files write for none
    if (id < 0 || id >= declared.vocabulary) {
      ends.notes.push_back(fmt::format("{}: id {} can end no answer: the embedding has {} rows",
                                       where, id, declared.vocabulary));
      return;
    }
    ends.ids.push_back(static_cast<TokenId>(id));
    if (sources.empty() || sources.back() != where) sources.push_back(where);
  };
  if (const auto own = from_tokenizer_files(declared, "eos_token")) add(own->id, own->where);
  std::string file = declared.generation_file;
  auto listed = listed_ends(declared.generation, file);
  if (!listed) {
    file = declared.model_file;
    listed = listed_ends(declared.model, file);
  }
  if (listed) {
    for (const std::int64_t id : *listed) add(id, file + ": eos_token_id");
  }
  std::sort(ends.ids.begin(), ends.ids.end());
  ends.ids.erase(std::unique(ends.ids.begin(), ends.ids.end()), ends.ids.end());
  ends.reason = sources.empty() ? "no file names an end of text"
                                : fmt::format("{}", fmt::join(sources, "; "));
  return ends;
}

void read_token_files(const fs::path& folder, TokenDeclarations& declared) {
  const auto read = [&](const char* name, nlohmann::json& out) {
    if (is_present(folder / name)) out = read_json(folder / name);
  };
  read("tokenizer_config.json", declared.tokenizer_config);
  read("special_tokens_map.json", declared.special_tokens_map);
}

}  // namespace yardstick::models
