// Comma- or tab-separated values (RFC 4180) as records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/data/records.hpp"

namespace yardstick::tasks {

/// The rows below the header line; every value is text. Quoted values may hold separators, line
/// breaks and doubled quotes; line ends are LF or CRLF; a byte-order mark and blank lines are
/// passed over.
/// @param separator ',' or '\t'
/// @param name of the file, for messages
/// @throws Error(kData) "items.csv:12: ..." for a row with more or fewer values than the header has
/// names, a quote that is not closed, text behind a closing quote, a carriage return
/// that stands alone, or a name that is empty or stands twice.
[[nodiscard]] std::vector<Record> parse_separated(std::string_view text, char separator,
                                                  const std::string& name);

}  // namespace yardstick::tasks
