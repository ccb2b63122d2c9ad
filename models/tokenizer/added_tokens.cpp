#include "models/tokenizer/added_tokens.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/fields.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

// The first and last stretch of `text` under `regex`; only a few added tokens ask, so this does
// not need to be fast.
bool matches_whole(const Regex& regex, std::string_view text) {
  RegexSearch search(regex);
  std::vector<Stretch> stretches;
  search.partition(text, stretches);
  return stretches.size() == 1 && stretches.front().kind == Stretch::Kind::kMatch;
}

std::size_t previous_character(std::string_view text, std::size_t at) {
  do {
    --at;
  } while (is_continuation(text[at]));
  return at;
}

std::size_t space_begin(const Regex& space, std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t before = previous_character(text, at);
    if (!matches_whole(space, text.substr(before, at - before))) break;
    at = before;
  }
  return at;
}

std::size_t space_end(const Regex& space, std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t length = code_point_at(text, at).length_bytes;
    if (!matches_whole(space, text.substr(at, length))) break;
    at += length;
  }
  return at;
}

}  // namespace

AddedToken read_added_token(const Located& file, const std::string& pointer, AddedToken token) {
  using Role = Vocabulary::Role;
  using Space = AddedToken::Space;
  Fields fields(file, pointer, fmt::format("the added token at {}", pointer));
  token.text = fields.text("content");
  if (const auto id = fields.optional_integer("id", 0, kMostIds - 1))
    token.id = static_cast<TokenId>(*id);
  const bool special = fields.optional_flag("special").value_or(token.role == Role::kSpecial);
  token.role = special ? Role::kSpecial : Role::kOrdinary;
  token.left = fields.optional_flag("lstrip").value_or(false) ? Space::kTake : Space::kLeave;
  token.right = fields.optional_flag("rstrip").value_or(false) ? Space::kTake : Space::kLeave;
  token.within = fields.optional_flag("single_word").value_or(false)
                     ? AddedToken::Within::kWords
                     : AddedToken::Within::kAnywhere;
  token.search_in = fields.optional_flag("normalized").value_or(!special)
                        ? AddedToken::SearchIn::kNormalized
                        : AddedToken::SearchIn::kSource;
  static_cast<void>(fields.has("__type"));  // "AddedToken", as older files say
  fields.finish();
  return token;
}

std::vector<AddedToken> read_added_tokens(const Located& file,
                                          const std::vector<std::string>& pointers) {
  std::vector<AddedToken> out;
  out.reserve(pointers.size());
  for (const std::string& pointer : pointers) {
    AddedToken token;
    Fields fields(file, pointer, fmt::format("the added token at {}", pointer));
    token.id = static_cast<TokenId>(fields.integer("id", 0, kMostIds - 1));
    out.push_back(read_added_token(file, pointer, token));
  }
  put_special_first(out);
  return out;
}

void put_special_first(std::vector<AddedToken>& tokens) {
  std::stable_partition(tokens.begin(), tokens.end(), [](const AddedToken& token) {
    return token.role == Vocabulary::Role::kSpecial;
  });
}

AddedTokenFinder::AddedTokenFinder()
    : space_(std::string(kWhiteSpace)), word_(fmt::format("[{}]", kWordCharacters)) {}

void AddedTokenFinder::add(const AddedToken& token, std::string_view text) {
  if (text.empty()) return;
  begins_[static_cast<unsigned char>(text.front())] = true;
  if (texts_.insert(text, static_cast<std::int32_t>(tokens_.size()))) tokens_.push_back(token);
}

AddedTokenFinder::Match AddedTokenFinder::longest_at(std::string_view text, std::size_t at) const {
  Match best;
  texts_.prefixes(text, at, [&](std::size_t end, std::int32_t index) {
    best = {&tokens_[static_cast<std::size_t>(index)], end};
  });
  return best;
}

bool AddedTokenFinder::stands_alone(std::string_view text, std::size_t begin,
                                    std::size_t end) const {
  if (begin > 0) {
    const std::size_t before = previous_character(text, begin);
    if (matches_whole(word_, text.substr(before, begin - before))) return false;
  }
  return end == text.size() ||
         !matches_whole(word_, text.substr(end, code_point_at(text, end).length_bytes));
}

std::vector<Piece> AddedTokenFinder::find(std::string_view text) const {
  std::vector<Piece> out;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && !tokens_.empty();) {
    if (!begins_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const Match match = longest_at(text, at);
    if (match.token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = match.end;
    at = match.end;
    if (match.token->within == AddedToken::Within::kWords && !stands_alone(text, begin, end))
      continue;
    if (match.token->left == AddedToken::Space::kTake)
      begin = std::max(space_begin(space_, text, begin), done);
    if (match.token->right == AddedToken::Space::kTake) end = space_end(space_, text, end);
    if (done < begin) out.push_back({done, begin, std::nullopt});
    out.push_back({begin, end, match.token->id});
    done = end;
  }
  if (done < text.size()) out.push_back({done, text.size(), std::nullopt});
  return out;
}

}  // namespace yardstick::tokenizer
