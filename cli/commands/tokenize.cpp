// `yardstick tokenize`: JSON Lines in, JSON Lines out, one line at a time, so that a pipe of any
// length works and a reader sees each answer at once.
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::cli {
namespace {

using tokenizer::Tokenizer;

// The value of the one key that a line must have.
const nlohmann::json& only_value(const nlohmann::json& line, const char* key) {
  if (!line.is_object() || line.size() != 1 || !line.contains(key)) {
    throw Error(
        ErrorKind::kData,
        fmt::format("found {:.60}, expected an object with the one key \"{}\"", line.dump(), key));
  }
  return line[key];
}

nlohmann::json encode(const Tokenizer& tokenizer, const nlohmann::json& line,
                      TokenizeOptions::Specials specials) {
  const nlohmann::json& text = only_value(line, "text");
  if (!text.is_string()) {
    throw Error(ErrorKind::kData,
                fmt::format("\"text\" is {:.60}, expected a string", text.dump()));
  }
  std::vector<TokenId> ids;
  const bool add = specials == TokenizeOptions::Specials::kAdd;
  if (add) ids = tokenizer.specials().before;
  for (const TokenSpan& span : tokenizer.encode(text.get_ref<const std::string&>()))
    ids.push_back(span.id);
  if (add) {
    const std::vector<TokenId>& behind = tokenizer.specials().behind;
    ids.insert(ids.end(), behind.begin(), behind.end());
  }
  return {{"ids", std::move(ids)}};
}

nlohmann::json decode(const Tokenizer& tokenizer, const nlohmann::json& line) {
  const nlohmann::json& list = only_value(line, "ids");
  if (!list.is_array()) {
    throw Error(ErrorKind::kData, fmt::format("\"ids\" is {:.60}, expected a list", list.dump()));
  }
  std::vector<TokenId> ids;
  ids.reserve(list.size());
  for (const nlohmann::json& id : list) {
    const bool known = id.is_number_integer() && id.get<std::int64_t>() >= 0 &&
                       id.get<std::int64_t>() < tokenizer.size();
    if (!known) {
      throw Error(ErrorKind::kData, fmt::format("\"ids\" has {:.60}, expected ids from 0 to {}",
                                                id.dump(), tokenizer.size() - 1));
    }
    ids.push_back(id.get<TokenId>());
  }
  return {{"text", tokenizer.decode(ids, Tokenizer::SpecialTokens::kKeep)}};
}

}  // namespace

int tokenize(const TokenizeOptions& options) {
  const bool decodes = options.direction == TokenizeOptions::Direction::kDecode;
  if (decodes && options.specials == TokenizeOptions::Specials::kAdd) {
    throw Error(ErrorKind::kConfig,
                "--add-special-tokens adds ids to encoded texts; leave it out with --decode");
  }
  const auto tokenizer = tokenizer::open_tokenizer(options.tokenizer);
  std::int64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string place = fmt::format("standard input, line {}", ++number);
    const nlohmann::json in = parse_json(line, place);
    try {
      const nlohmann::json out =
          decodes ? decode(*tokenizer, in) : encode(*tokenizer, in, options.specials);
      std::cout << escaped(out.dump()) << '\n';
    } catch (const Error& error) {
      std::cout.flush();
      throw error.within(place);
    }
    if (!std::cout) throw Error(ErrorKind::kData, "standard output cannot be written");
  }
  std::cout.flush();
  if (!std::cout) throw Error(ErrorKind::kData, "standard output cannot be written");
  return kDone;
}

}  // namespace yardstick::cli
