#include "harness/store/headline_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::harness {
namespace {

using Length = std::optional<std::int64_t>;

/// The cells behind one number of the table.
struct Entry {
  double sum = 0;  ///< of values, each as often as it has samples
  std::int64_t n = 0;
  std::set<std::string> other;  ///< statuses without a number
};

struct Block {
  std::string title;
  std::vector<std::string> models;  ///< in the suite's order
  std::set<Length> lengths;
  std::map<std::pair<std::string, Length>, Entry> entries;
};

std::string format_value(double value) {
  if (!(std::abs(value) < 1e30)) return ">1e30";
  if (std::abs(value) >= 1e6) return fmt::format("{:.2e}", value);
  if (std::abs(value) >= 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3f}", value);
}

/// Some of its depths have no number.
bool is_partial(const Entry& entry) { return entry.n > 0 && !entry.other.empty(); }

std::string format_entry(const Entry& entry) {
  if (entry.n > 0) {
    return format_value(entry.sum / static_cast<double>(entry.n)) + (is_partial(entry) ? "*" : "");
  }
  if (entry.other.contains("failed")) return "fail";
  if (entry.other.contains("pending")) return "-";
  return "n/a";
}

std::vector<Block> make_blocks(const std::vector<HeadlineRow>& rows) {
  std::vector<Block> blocks;
  for (const HeadlineRow& row : rows) {
    const std::string title = fmt::format("{}{}{} ({}", row.task, row.variant.empty() ? "" : " ",
                                          row.variant, row.metric);
    auto block = std::find_if(blocks.begin(), blocks.end(),
                              [&](const Block& b) { return b.title == title; });
    if (block == blocks.end()) block = blocks.insert(blocks.end(), Block{title, {}, {}, {}});
    if (std::find(block->models.begin(), block->models.end(), row.model) == block->models.end())
      block->models.push_back(row.model);
    block->lengths.insert(row.length);
    Entry& entry = block->entries[{row.model, row.length}];
    if (row.status == "ok" && row.value) {
      const std::int64_t n = std::max<std::int64_t>(row.n, 1);
      entry.sum += *row.value * static_cast<double>(n);
      entry.n += n;
    } else {
      entry.other.insert(row.status);
    }
  }
  return blocks;
}

/// ", n = 30" behind each number, or ", n = 8 to 16".
std::string ran_text(const Block& block) {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  for (const auto& [place, entry] : block.entries) {
    if (entry.n == 0) continue;
    least = greatest == 0 ? entry.n : std::min(least, entry.n);
    greatest = std::max(greatest, entry.n);
  }
  if (greatest == 0) return "";
  return least == greatest ? fmt::format(", n = {}", least)
                           : fmt::format(", n = {} to {}", least, greatest);
}

std::string format_block(const Block& block) {
  std::size_t width = 6;
  for (const std::string& model : block.models) width = std::max(width, model.size());
  std::string text = fmt::format("{}{})\n  {:<{}}", block.title, ran_text(block), "model", width);
  for (const Length& length : block.lengths)
    text += fmt::format(" {:>9}", length ? format_length(*length) : "");
  text += "\n";
  for (const std::string& model : block.models) {
    text += fmt::format("  {:<{}}", model, width);
    for (const Length& length : block.lengths) {
      const auto entry = block.entries.find({model, length});
      text +=
          fmt::format(" {:>9}", entry == block.entries.end() ? "" : format_entry(entry->second));
    }
    text += "\n";
  }
  const bool has_partial = std::any_of(block.entries.begin(), block.entries.end(),
                                       [](const auto& entry) { return is_partial(entry.second); });
  return text + (has_partial ? "  * without the depths that have no number\n" : "");
}

std::string format_reasons(const std::vector<HeadlineRow>& rows) {
  std::string text;
  std::set<std::string> said;
  for (const HeadlineRow& row : rows) {
    if (row.status != "failed" && row.status != "skipped") continue;
    const std::string key =
        fmt::format("{} {} {}: {}", row.status, row.model, row.task, row.message);
    if (!said.insert(key).second) continue;
    const std::string length = row.length ? " " + format_length(*row.length) : "";
    text += fmt::format("{}: {}/{}{}: {}\n", row.status, row.model, row.task, length,
                        escaped_lines(row.message));
  }
  return text;
}

}  // namespace

std::string format_headlines(const std::vector<HeadlineRow>& rows) {
  std::string text;
  for (const Block& block : make_blocks(rows)) text += format_block(block) + "\n";
  return text + format_reasons(rows);
}

}  // namespace yardstick::harness
