// The perplexity protocols by name, as an explicit table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/fields.hpp"
#include "tasks/data/documents.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// What a protocol makes a sample of, and what it reports beside the token-weighted figures.
enum class Reporting {
  kTokens,       ///< a sample is a window; headline perplexity
  kWindowMeans,  ///< as well the unweighted mean of the windows' means, which is the headline
  kHfScript,     ///< as well perplexity_hf_script, as Hugging Face's guide weighs windows
  kWholeTexts,   ///< a sample is a document, with the bytes and words of its whole text; headline
                 ///< word_perplexity
};

struct ProtocolEntry {
  std::string_view name;
  std::unique_ptr<const WindowProtocol> (*make)(Fields&);
  std::span<const std::string_view> keys;  ///< of the task, that not every protocol reads
  Reporting reporting;
  DocumentJoin documents;  ///< what it is by default
  SpecialTexts specials = SpecialTexts::kTokens;
};

[[nodiscard]] std::span<const ProtocolEntry> protocols();

/// Reads `protocol`, and refuses the keys that only others read.
/// @throws Error(kConfig) listing the names.
[[nodiscard]] const ProtocolEntry& read_protocol(Fields& fields);

}  // namespace yardstick::tasks
