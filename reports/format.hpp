// Numbers as people read them, and text made safe for each format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/metric_name.hpp"
#include "reports/query.hpp"

namespace yardstick::reports {

/// "4.31", "140", ">1e30", "87.5 %"; "" for a missing or undefined value.
[[nodiscard]] std::string value_text(tasks::Meaning::Unit unit, std::optional<double> value);

/// value_text with its interval: "4.31 [4.20, 4.44]".
[[nodiscard]] std::string interval_text(const Metric& metric);

/// "↑" if more is better, "↓" if less is, "" for counts and sizes.
[[nodiscard]] std::string_view direction_mark(tasks::Meaning::Better better);

/// "9/10"; successes of shares in part keep a decimal: "8.5/10".
[[nodiscard]] std::string hits_text(const Metric& metric);

/// "1 document", "3 documents".
[[nodiscard]] std::string plural_text(std::int64_t count, std::string_view one);

/// Text made safe inside HTML text and attribute values. Control characters, those that turn the
/// direction of text, and bytes that are no UTF-8 are shown as escapes: "\x1b".
[[nodiscard]] std::string escape_html(std::string_view text);

/// Text inside a Markdown table cell: no pipes, line breaks or markup that would take effect;
/// control characters as in escape_html.
[[nodiscard]] std::string escape_markdown(std::string_view text);

/// Text as Markdown code, outside tables: nothing in it takes effect.
[[nodiscard]] std::string code_markdown(std::string_view text);

/// One CSV field by RFC 4180: the text itself, in quotes where it has to be. What a spreadsheet
/// takes for a formula is kept as it is; programs read these files.
[[nodiscard]] std::string csv_text(std::string_view text);
/// A number with all its digits; empty if absent.
[[nodiscard]] std::string csv_number(std::optional<double> value);

/// "1.2M", "60.3k", "812".
[[nodiscard]] std::string count_text(std::int64_t count);

/// "2k (16x)" where the training length is known.
[[nodiscard]] std::string length_ratio_text(std::int64_t length,
                                            std::optional<std::int64_t> training);

}  // namespace yardstick::reports
