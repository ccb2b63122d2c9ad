// Small-world documents: simple sentences about who keeps which thing where. Facts are stated, then
// mentioned again or asked for at controlled distances, so that both perplexity and retrieval
// depend on context that lies far back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "models/train/small_world/world.hpp"

namespace yardstick::small_world {

/// A sentence, or a question with its answer.
struct Sentence {
  std::string text;
  std::int64_t tokens = 0;
};

/// How a document is mixed.
struct DocumentStyle {
  std::int64_t tokens = 0;       ///< the document has at least so many
  std::int64_t first_facts = 0;  ///< facts that are stated before anything else is likely
  double fact_share = 0.3;       ///< of later sentences: new or changed facts
  double recall_share = 0.5;     ///< of later sentences: facts asked for or mentioned again
  double question_share = 0.65;  ///< of recalls: asked for, rather than mentioned in passing
  Topics topics = Topics::kAll;
  /// How far back the recalled fact lies: log-uniform from a sentence to the whole document, or any
  /// known fact alike.
  enum class Distance { kLogUniform, kAnyFact } distance = Distance::kLogUniform;
};

/// A document as sentences, to be joined by spaces. A pure function of its arguments.
[[nodiscard]] std::vector<Sentence> make_document(const DocumentStyle& style, Random& random);

/// Sentences [begin, end) joined by spaces.
[[nodiscard]] std::string join_sentences(const std::vector<Sentence>& sentences, std::size_t begin,
                                         std::size_t end);

/// The style of a document of a few thousand tokens, as perplexity is measured on.
[[nodiscard]] DocumentStyle narrative_style(std::int64_t tokens);

/// The style of a training window that holds several facts and several questions about them.
[[nodiscard]] DocumentStyle question_style(std::int64_t tokens, Random& random);

/// The style of a training window that holds a few long lists, each given several times: most of
/// its words follow from the context.
[[nodiscard]] DocumentStyle list_style(std::int64_t tokens, Random& random);

}  // namespace yardstick::small_world
