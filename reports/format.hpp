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
[[nodiscard]] std::string value_text(std::string_view metric, std::optional<double> value);

/// value_text with its interval: "4.31 [4.20, 4.44]".
[[nodiscard]] std::string interval_text(const Metric& metric);

/// Text made safe inside HTML text and attribute values.
[[nodiscard]] std::string escape_html(std::string_view text);

/// Text inside a Markdown table cell: no pipes, line breaks or markup that would take effect.
[[nodiscard]] std::string escape_markdown(std::string_view text);

/// One CSV field by RFC 4180; a leading =, +, - or @ in text is put behind a quote, so that
/// spreadsheets do not run it as a formula.
[[nodiscard]] std::string csv_text(std::string_view text);
/// A number with all its digits; empty if absent.
[[nodiscard]] std::string csv_number(std::optional<double> value);

/// "1.2M", "60.3k", "812".
[[nodiscard]] std::string count_text(std::int64_t count);

/// "2k (16x)" where the training length is known.
[[nodiscard]] std::string length_ratio_text(std::int64_t length,
                                            std::optional<std::int64_t> training);

}  // namespace yardstick::reports
