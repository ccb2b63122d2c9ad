// What is decided once for all documents of a data set: whether text is an index, a choice's own
// text or a list. Decided document by document, "1" among the choices 1, 2, 3 would be that choice
// and "1" among 10, 20, 30 the second one.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "tasks/data/records.hpp"
#include "tasks/downstream/doc_templates.hpp"

namespace yardstick::tasks {

struct DecidedForm {
  DocForm form;
  std::string note;  ///< for people, where the documents allow two readings; else empty
};

/// Place of the i-th document: "arc.jsonl:12".
using DocPlace = std::function<std::string(std::size_t)>;

/// - kContext if there are choices and every doc_to_text is an index.
/// - Text under doc_to_target is the text of a choice if it is one in every document, or else an
///   index. Digits of a template, and a column of digits where values have no types (CSV), are
///   indices first, as lm-evaluation-harness (and pandas) have them.
/// @throws Error(kData) for documents of both kinds, with the places of two of them.
[[nodiscard]] DecidedForm decide_form(const DocTemplates& templates,
                                      std::span<const RenderedDoc> documents, ValueTypes types,
                                      const DocPlace& place);

}  // namespace yardstick::tasks
