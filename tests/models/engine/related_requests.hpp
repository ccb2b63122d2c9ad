// Requests that begin alike in every way that sharing knows.
#pragma once

#include <string>
#include <vector>

#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {

inline std::vector<TokenId> joined(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Choices behind a context, lengths of one text, prompts that share a haystack and are continued,
/// and one prompt that is the beginning of another.
inline std::vector<Request> related_requests(std::int64_t vocabulary) {
  const auto tokens = [&](const std::string& name, std::int64_t count) {
    return random_tokens(name, count, vocabulary);
  };
  std::vector<Request> requests;
  const std::vector<TokenId> context = tokens("context", 150);
  for (const char* choice : {"a", "b", "c", "d"})
    requests.push_back({.tokens = joined(context, tokens(choice, 9)), .score_from = 150});
  const std::vector<TokenId> text = tokens("text", 300);
  for (const std::int64_t length : {33, 64, 128, 300})
    requests.push_back({.tokens = {text.begin(), text.begin() + length}, .score_from = 1});
  const std::vector<TokenId> haystack = tokens("haystack", 90);
  const std::vector<TokenId> more = joined(haystack, tokens("more", 40));
  for (const char* needle : {"n1", "n2", "n3"}) {
    requests.push_back(
        {.tokens = joined(more, tokens(needle, 50)), .score_from = 180, .max_new_tokens = 5});
  }
  requests.push_back({.tokens = haystack, .score_from = 90, .max_new_tokens = 4});
  requests.push_back({.tokens = more, .score_from = 100, .max_new_tokens = 4});
  return requests;
}

}  // namespace yardstick::test
