#include "tasks/data/csv.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

struct Row {
  std::int64_t line = 0;  // that it begins on
  std::vector<std::string> values;
};

class Rows {
 public:
  Rows(std::string_view text, char separator, const std::string& name)
      : text_(text), separator_(separator), name_(name) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  std::optional<Row> next() {
    while (at_ < text_.size() && ends_line()) pass_line_end();
    if (at_ == text_.size()) return std::nullopt;
    Row row{.line = line_, .values = {}};
    for (;;) {
      row.values.push_back(text_.substr(at_).starts_with('"') ? quoted() : plain());
      if (at_ == text_.size()) return row;
      if (ends_line()) {
        pass_line_end();
        return row;
      }
      ++at_;  // the separator
    }
  }

 private:
  [[nodiscard]] bool ends_line() const {
    return text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  void pass_line_end() {
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
  }

  std::string plain() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && !ends_line()) {
      if (text_[at_] == '\r') fail_at_carriage_return();
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const std::int64_t opened = line_;
    std::string value;
    for (++at_;;) {
      const std::size_t quote = std::min(text_.find('"', at_), text_.size());
      const std::string_view part = text_.substr(at_, quote - at_);
      line_ += std::count(part.begin(), part.end(), '\n');
      value += part;
      if (quote == text_.size()) fail(opened, "a quoted value is not closed by '\"'");
      at_ = quote + 1;
      if (!text_.substr(at_).starts_with('"')) break;
      value += '"';
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] != separator_ && !ends_line()) {
      if (text_[at_] == '\r') fail_at_carriage_return();
      fail(line_, "text stands behind a closing quote; a quote inside a value is written twice");
    }
    return value;
  }

  [[noreturn]] void fail_at_carriage_return() const {
    fail(line_,
         "a carriage return stands alone, as old Macs end lines; save the file with LF or CRLF, or "
         "put the value in quotes");
  }

  [[noreturn]] void fail(std::int64_t line, std::string_view message) const {
    throw Error(ErrorKind::kData, fmt::format("{}:{}: {}", name_, line, message));
  }

  std::string_view text_;
  char separator_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

std::string_view name_of(char separator) {
  switch (separator) {
    case '\t': return "tabs";
    case ';': return "semicolons";
    default: return "commas";
  }
}

/// A header without the separator, and lines that have another one throughout.
void check_separator(std::string_view text, char separator, const Row& header,
                     const std::string& name) {
  if (header.values.size() > 1) return;
  const std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const std::size_t first_end = std::min(text.find('\n', begin), text.size());
  const std::size_t second_end =
      std::min(text.find('\n', std::min(first_end + 1, text.size())), text.size());
  const std::string_view first = text.substr(begin, first_end - begin);
  const std::string_view second = text.substr(first_end, second_end - first_end);
  for (const char other : {';', '\t', ','}) {
    if (other == separator) continue;
    const auto count = std::count(first.begin(), first.end(), other);
    if (count == 0 || std::count(second.begin(), second.end(), other) < count) continue;
    throw Error(
        ErrorKind::kData,
        fmt::format("{}:{}: the values are separated by {}, expected {} by the file's name; "
                    "save it with {}{}",
                    name, header.line, name_of(other), name_of(separator), name_of(separator),
                    other == '\t' || other == ',' ? ", or name it .tsv or .csv" : ""));
  }
}

void check_header(const Row& header, const std::string& name) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < header.values.size(); ++i) {
    const std::string& column = header.values[i];
    if (column.empty()) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}: column {} of the header has no name (pandas writes its index "
                              "so: to_csv(index=False) leaves it out); name or remove the column",
                              name, header.line, i + 1));
    }
    if (seen.insert(column).second) continue;
    throw Error(ErrorKind::kData, fmt::format("{}:{}: the header names '{}' twice; rename a column",
                                              name, header.line, column));
  }
}

}  // namespace

std::vector<Record> parse_separated(std::string_view text, char separator,
                                    const std::string& name) {
  Rows rows(text, separator, name);
  const std::optional<Row> header = rows.next();
  if (!header) {
    throw Error(
        ErrorKind::kData,
        fmt::format("{}:1: the file is empty; expected a line with the columns' names", name));
  }
  check_separator(text, separator, *header, name);
  check_header(*header, name);
  std::vector<Record> records;
  while (std::optional<Row> row = rows.next()) {
    if (row->values.size() != header->values.size()) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}: the row has {} values, the header has {} names; is a value "
                              "with a '{}' not in quotes?",
                              name, row->line, row->values.size(), header->values.size(),
                              separator == '\t' ? "tab" : std::string(1, separator)));
    }
    Record record{.fields = nlohmann::ordered_json::object(), .line = row->line};
    for (std::size_t i = 0; i < row->values.size(); ++i) {
      record.fields[header->values[i]] = std::move(row->values[i]);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace yardstick::tasks
