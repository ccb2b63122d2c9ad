// The stems of English words, by which ROUGE may compare.
#pragma once

#include <string>
#include <string_view>

namespace yardstick::tasks {

/// Porter's algorithm (1980) with the later corrections and the word list that NLTK's PorterStemmer
/// has by default, which rouge_score uses. `word` is of a-z and 0-9.
[[nodiscard]] std::string porter_stem(std::string_view word);

}  // namespace yardstick::tasks
