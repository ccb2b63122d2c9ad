#include "models/tokenizer/unicode_form.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <utf8proc.h>

#include "core/error.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

using CodePoints = std::vector<utf8proc_int32_t>;

bool is_composed(UnicodeForm form) {
  return form == UnicodeForm::kNfc || form == UnicodeForm::kNfkc;
}

int combining_class(utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; }

CodePoints decompose(UnicodeForm form, std::string_view text) {
  unsigned options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
  const bool compatible = form == UnicodeForm::kNfkc || form == UnicodeForm::kNfkd;
  if (compatible) options |= UTF8PROC_COMPAT;
  CodePoints out;
  std::array<utf8proc_int32_t, 32> parts{};  // the longest decomposition has 18
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    at += c.length_bytes;
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c.value), parts.data(), std::ssize(parts),
        static_cast<utf8proc_option_t>(options), &boundary);
    check(count >= 0 && count <= std::ssize(parts), "a code point has a short decomposition");
    out.insert(out.end(), parts.begin(), parts.begin() + count);
  }
  return out;
}

// The canonical order of combining characters. utf8proc has it as well, but in quadratic time.
void order(CodePoints& text) {
  const auto is_starter = [](utf8proc_int32_t c) { return combining_class(c) == 0; };
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if_not(begin, text.end(), is_starter);
    const auto end = std::find_if(begin, text.end(), is_starter);
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
    begin = end;
  }
}

std::string form_of(UnicodeForm form, std::string_view text) {
  CodePoints points = decompose(form, text);
  order(points);
  if (is_composed(form)) {
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const utf8proc_ssize_t size =
        utf8proc_normalize_utf32(points.data(), std::ssize(points), options);
    check(size >= 0, "ordered code points can be composed");
    points.resize(static_cast<std::size_t>(size));
  }
  std::string out;
  out.reserve(text.size());
  for (const utf8proc_int32_t c : points) out += to_utf8(static_cast<char32_t>(c));
  return out;
}

// Characters below this change in no way and never join the one in front of them: all below U+0300
// for NFC (UAX 15, NFC_Quick_Check), ASCII for the others.
char32_t inert_limit(UnicodeForm form) { return form == UnicodeForm::kNfc ? 0x300 : 0x80; }

// Ends of the groups of a text that begin with a non-combining character.
std::vector<std::size_t> cluster_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c.value));
    if (at != 0 && property->combining_class == 0) ends.push_back(at);
    at += c.length_bytes;
  }
  ends.push_back(text.size());
  return ends;
}

struct Group {
  std::size_t end = 0;
  std::string form;
};

// The smallest groups of clusters whose forms, put together, are the form of the whole text.
std::vector<Group> group(UnicodeForm form, std::string_view text, const std::string& whole) {
  std::vector<Group> groups;
  std::size_t begin = 0;
  std::size_t last = 0;
  std::string joined;
  std::optional<std::string> current;
  for (const std::size_t end : cluster_ends(text)) {
    std::string next = form_of(form, text.substr(last, end - last));
    if (current) {
      std::string both = form_of(form, text.substr(begin, end - begin));
      if (both == *current + next) {
        joined += *current;
        groups.push_back({last, *std::move(current)});
        begin = last;
        current = std::move(next);
      } else {
        current = std::move(both);
      }
    } else {
      current = std::move(next);
    }
    last = end;
  }
  joined += current.value_or("");
  groups.push_back({text.size(), std::move(current).value_or("")});
  if (joined != whole) return {{text.size(), whole}};
  return groups;
}

// The next run of `text` from `from` on that may change: an inert character and the others behind
// it. Empty at the end of the text.
Stretch next_run(std::string_view text, std::size_t from, char32_t limit) {
  std::size_t begin = from;
  std::size_t at = from;
  while (at < text.size()) {
    const CodePoint c = code_point_at(text, at);
    if (c.value >= limit) break;
    begin = at;
    at += c.length_bytes;
  }
  if (at == text.size()) return {at, at, Stretch::Kind::kGap};
  while (at < text.size()) {
    const CodePoint c = code_point_at(text, at);
    if (c.value < limit) break;
    at += c.length_bytes;
  }
  return {begin, at, Stretch::Kind::kMatch};
}

struct ChangedRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string form;
};

std::vector<ChangedRun> changed_runs(UnicodeForm form, std::string_view text) {
  std::vector<ChangedRun> out;
  const char32_t limit = inert_limit(form);
  for (Stretch run = next_run(text, 0, limit); run.kind == Stretch::Kind::kMatch;
       run = next_run(text, run.end, limit)) {
    const std::string_view part = text.substr(run.begin, run.end - run.begin);
    std::string changed = form_of(form, part);
    if (changed != part) out.push_back({run.begin, run.end, std::move(changed)});
  }
  return out;
}

}  // namespace

void apply_unicode_form(UnicodeForm form, AlignedText& text) {
  const std::string_view bytes = text.text();
  const std::vector<ChangedRun> runs = changed_runs(form, bytes);
  if (runs.empty()) return;
  AlignedEdit edit(text);
  std::size_t done = 0;
  for (const ChangedRun& run : runs) {
    edit.keep(done, run.begin);
    std::size_t begin = run.begin;
    for (const Group& part : group(form, bytes.substr(run.begin, run.end - run.begin), run.form)) {
      const std::size_t end = run.begin + part.end;
      edit.replace(begin, end, part.form);
      begin = end;
    }
    done = run.end;
  }
  edit.keep(done, bytes.size());
  edit.finish();
}

}  // namespace yardstick::tokenizer
