// Tables of the page. A table that is too wide for the screen or the paper is set row by row, each
// value under its column's name, so that nothing has to be scrolled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yardstick::reports {

struct HtmlColumn {
  std::string title;  ///< plain text
  enum class Kind { kText, kNumber } kind = Kind::kText;
};

struct HtmlCell {
  std::string body;       ///< HTML
  std::string css_class;  ///< beside that of its column's kind
};

class HtmlTable {
 public:
  explicit HtmlTable(std::vector<HtmlColumn> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns; the first one heads the row.
  void add(const std::vector<HtmlCell>& cells);
  [[nodiscard]] bool is_empty() const { return rows_.empty(); }

  /// @param caption HTML; may be empty
  [[nodiscard]] std::string html(std::string_view caption) const;

 private:
  std::vector<HtmlColumn> columns_;
  std::string rows_;
};

/// The rules that set wide tables row by row where there is no room for them.
[[nodiscard]] std::string table_style();

}  // namespace yardstick::reports
