#include "tasks/needle/haystack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {

const std::string_view kNoiseLine =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";

namespace {

constexpr std::string_view kWhite = " \t\n\r\f\v";
// A sentence's end farther from the wanted place is not near: in a short haystack the depths of a
// grid would meet there. Nor is an end of the haystack.
constexpr double kNearTokens = 64;
constexpr double kNearShare = 0.03;  // of the haystack
constexpr double kNearEndTokens = 8;
constexpr std::array<std::string_view, 8> kTitles = {"Mr", "Mrs", "Ms",   "Dr",
                                                     "St", "Jr",  "Prof", "Messrs"};
constexpr std::array<std::string_view, 6> kClosing = {"\"", "'", ")", "]", "\u201d", "\u2019"};
constexpr std::array<std::string_view, 3> kWideEnds = {"\u3002", "\uff01", "\uff1f"};

bool is_white(char c) { return kWhite.find(c) != std::string_view::npos; }

bool ends_with_wide_stop(std::string_view word) {
  return std::any_of(kWideEnds.begin(), kWideEnds.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

bool ends_sentence(std::string_view word) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view mark : kClosing) {
      if (!word.ends_with(mark)) continue;
      word.remove_suffix(mark.size());
      found = true;
    }
  }
  if (ends_with_wide_stop(word) || word.ends_with('!') || word.ends_with('?')) return true;
  if (!word.ends_with('.')) return false;
  word.remove_suffix(1);
  const bool is_initial = word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z';
  return !is_initial && std::find(kTitles.begin(), kTitles.end(), word) == kTitles.end();
}

/// End of the word that begins at `begin`: white space, or behind an ideographic full stop.
std::size_t word_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && !is_white(text[end])) {
    ++end;
    if (ends_with_wide_stop(text.substr(begin, end - begin))) break;
  }
  return end;
}

/// The boundary among the first n units where a needle of this depth goes.
std::int64_t place_of(double depth, DepthUnit depth_unit, UnitRun& units, std::int64_t n) {
  const auto is_boundary = [&](std::int64_t k) {
    return k <= 0 || k >= n || units.at(k - 1).end == Unit::End::kBoundary;
  };
  if (depth_unit == DepthUnit::kUnits) {
    auto k = std::min(static_cast<std::int64_t>(depth * static_cast<double>(n)), n);
    while (!is_boundary(k)) --k;
    return k;
  }
  if (depth <= 0) return 0;
  if (depth >= 1) return n;
  const auto all = static_cast<double>(units.tokens(n));
  const double wanted = depth * all;
  const auto distance = [&](std::int64_t k) {
    return std::abs(static_cast<double>(units.tokens(k)) - wanted);
  };
  std::int64_t low = 0;
  std::int64_t high = n;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (static_cast<double>(units.tokens(middle)) <= wanted ? low : high) = middle;
  }
  std::int64_t best = distance(low) <= distance(high) ? low : high;
  while (!is_boundary(low)) --low;
  while (!is_boundary(high)) ++high;
  // The haystack's ends draw a needle less than the ends of its sentences do.
  const double near_sentence = std::min(kNearTokens, kNearShare * all);
  const double near_end = std::min(kNearEndTokens, near_sentence);
  std::optional<double> closest;
  for (const std::int64_t k : {low, high}) {
    const bool is_inner = k > 0 && k < n;
    if (distance(k) > (is_inner ? near_sentence : near_end)) continue;
    if (closest && distance(k) >= *closest) continue;
    closest = distance(k);
    best = k;
  }
  return best;
}

}  // namespace

std::vector<Unit> split_words(std::string_view text, std::string_view name) {
  std::vector<Unit> words;
  std::size_t begin = text.find_first_not_of(kWhite);
  while (begin < text.size()) {
    const std::size_t end = word_end(text, begin);
    const std::size_t next = std::min(text.find_first_not_of(kWhite, end), text.size());
    const std::string_view body = text.substr(begin, end - begin);
    const std::string_view gap = text.substr(end, next - end);
    const bool is_end = ends_sentence(body) || std::count(gap.begin(), gap.end(), '\n') > 1;
    words.push_back({.body = std::string(body),
                     .separator = std::string(gap),
                     .end = is_end ? Unit::End::kBoundary : Unit::End::kInner});
    begin = next;
  }
  if (words.empty()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: holds nothing but white space; a haystack needs words", name));
  }
  // The text may be repeated: its end is a sentence's end, and does not touch its beginning.
  words.back().separator = " ";
  words.back().end = Unit::End::kBoundary;
  return words;
}

std::vector<Unit> split_into_sentences(std::string_view text, std::string_view name) {
  std::vector<Unit> sentences;
  bool is_open = false;
  for (const Unit& word : split_words(text, name)) {
    if (is_open) {
      sentences.back().body += sentences.back().separator + word.body;
      sentences.back().separator = word.separator;
    } else {
      sentences.push_back({.body = word.body, .separator = word.separator});
    }
    is_open = word.end == Unit::End::kInner;
  }
  return sentences;
}

std::string squeeze_white_space(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_white(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

HiddenText hide(const HidingPlace& place, std::span<const Needle> needles, UnitRun& units,
                std::int64_t n) {
  std::vector<std::size_t> by_depth(needles.size());
  std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
  std::stable_sort(by_depth.begin(), by_depth.end(), [&](std::size_t a, std::size_t b) {
    return needles[a].depth < needles[b].depth;
  });
  std::vector<std::pair<std::int64_t, std::size_t>> order;  // place among the units, needle
  for (const std::size_t i : by_depth) {
    const std::int64_t k = place_of(needles[i].depth, place.depth_unit, units, n);
    order.emplace_back(order.empty() ? k : std::max(k, order.back().first), i);
  }
  const std::string_view around = place.style == NeedleStyle::kLine ? "\n" : " ";
  HiddenText hidden{.text = place.head, .begin = place.head.size(), .end = 0, .needles = {}};
  hidden.needles.resize(needles.size());
  std::size_t next = 0;
  const auto put_needles = [&](std::int64_t k) {
    for (; next < order.size() && order[next].first == k; ++next) {
      if (next > 0 && order[next - 1].first == k) {
        hidden.text += around;
      } else if (k > 0) {
        const std::string& gap = units.at(k - 1).separator;
        hidden.text += place.style == NeedleStyle::kLine || gap.empty() ? around : gap;
      }
      hidden.needles[order[next].second] = hidden.text.size();
      hidden.text += needles[order[next].second].text;
    }
  };
  for (std::int64_t k = 0; k < n; ++k) {
    const std::size_t before = next;
    put_needles(k);
    if (next > before) {
      hidden.text += around;
    } else if (k > 0) {
      hidden.text += units.at(k - 1).separator;
    }
    hidden.text += units.at(k).body;
  }
  put_needles(n);
  hidden.end = hidden.text.size();
  hidden.text += place.tail;
  return hidden;
}

FoundNeedle find_needle(const HiddenText& hidden, std::size_t needle, std::string_view needle_text,
                        std::span<const TokenSpan> spans) {
  const std::size_t begin = hidden.needles.at(needle);
  const std::size_t end = begin + needle_text.size();
  std::int64_t before = 0;
  std::int64_t behind = 0;
  std::int64_t first = -1;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto last_byte = static_cast<std::size_t>(spans[i].end);
    if (first < 0 && last_byte > begin) first = static_cast<std::int64_t>(i);
    if (last_byte <= hidden.begin || static_cast<std::size_t>(spans[i].begin) >= hidden.end) {
      continue;
    }
    if (last_byte <= begin) ++before;
    if (static_cast<std::size_t>(spans[i].begin) >= end) ++behind;
  }
  const auto all = static_cast<double>(before + behind);
  return {.token = first, .depth = all == 0 ? 0.0 : static_cast<double>(before) / all};
}

}  // namespace yardstick::tasks
