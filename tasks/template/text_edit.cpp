#include "tasks/template/text_edit.hpp"

#include <algorithm>

#include "tasks/template/code_points.hpp"
#include "tasks/template/limits.hpp"

namespace yardstick::tasks::jinja {
namespace {

std::string interleaved(std::string_view text, std::string_view replacement, std::int64_t times) {
  TextBuilder out;
  for (const std::string_view c : code_points(text)) {
    if (times != 0) {
      out.append(replacement);
      if (times > 0) --times;
    }
    out.append(c);
  }
  if (times != 0) out.append(replacement);
  return out.take();
}

// \n, \r, \r\n, \v, \f, \x1c-\x1e, \x85, U+2028 and U+2029: the size in bytes of the one at the
// front, or 0.
std::size_t line_end_size(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  const CodePoint c = first_code_point(text);
  const bool ends = (c.value >= '\n' && c.value <= '\r') || (c.value >= 0x1C && c.value <= 0x1E) ||
                    c.value == 0x85 || c.value == 0x2028 || c.value == 0x2029;
  return ends ? c.size : 0;
}

}  // namespace

std::string replace(std::string_view text, std::string_view old, std::string_view replacement,
                    std::int64_t times) {
  if (old.empty()) return interleaved(text, replacement, times);
  TextBuilder out;
  while (times != 0) {
    const std::size_t found = text.find(old);
    if (found == std::string_view::npos) break;
    out.append(text.substr(0, found));
    out.append(replacement);
    text.remove_prefix(found + old.size());
    if (times > 0) --times;
  }
  out.append(text);
  return out.take();
}

std::string center(std::string_view text, std::int64_t width, std::string_view fill) {
  const std::int64_t size = length_of(text);
  const std::int64_t padding = std::max<std::int64_t>(width - size, 0);
  // Python puts the odd one to the left only if the width is odd, too.
  const std::int64_t left = padding / 2 + (padding & width & 1);
  TextBuilder out;
  for (std::int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (std::int64_t i = left; i < padding; ++i) out.append(fill);
  return out.take();
}

std::vector<std::string_view> split_lines(std::string_view text, LineEnds ends) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end_size = line_end_size(text.substr(at));
    if (end_size == 0) {
      at += first_code_point(text.substr(at)).size;
      continue;
    }
    out.push_back(text.substr(begin, at - begin + (ends == LineEnds::kKept ? end_size : 0)));
    at += end_size;
    begin = at;
  }
  if (begin < text.size()) out.push_back(text.substr(begin));
  return out;
}

std::vector<std::string_view> split_right(std::string_view text, std::string_view separator,
                                          std::int64_t limit) {
  std::vector<std::string_view> out;
  while (limit != 0) {
    const std::size_t found = text.rfind(separator);
    if (found == std::string_view::npos) break;
    out.push_back(text.substr(found + separator.size()));
    text = text.substr(0, found);
    if (limit > 0) --limit;
  }
  out.push_back(text);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace yardstick::tasks::jinja
