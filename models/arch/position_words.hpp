// Inside the room: the words for a position plan's choices that configurations and overrides share.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "models/position/plan.hpp"

namespace yardstick::models {

template <typename T>
using Word = std::pair<std::string_view, T>;

inline constexpr std::array<Word<position::ZeroPairs>, 3> kZeroPairWords = {
    {{"one_one", position::ZeroPairs::kCosOneSinOne},
     {"one_zero", position::ZeroPairs::kCosOneSinZero},
     {"paper", position::ZeroPairs::kCosOneSinZero}}};

inline constexpr std::array<Word<position::SlopeRule>, 2> kSlopeWords = {
    {{"interleaved", position::SlopeRule::kInterleaved},
     {"geometric", position::SlopeRule::kGeometric}}};

inline constexpr std::array<Word<position::PairLayout>, 2> kLayoutWords = {
    {{"halves", position::PairLayout::kHalves},
     {"interleaved", position::PairLayout::kInterleaved}}};

inline constexpr std::array<Word<position::ClampOrder>, 2> kClampWords = {
    {{"clamp_then_scale", position::ClampOrder::kClampThenScale},
     {"scale_then_clamp", position::ClampOrder::kScaleThenClamp}}};

/// The first word of a value.
template <typename T, std::size_t N>
[[nodiscard]] std::string_view word_of(const std::array<Word<T>, N>& words, T value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return word;
  }
  return words.front().first;
}

}  // namespace yardstick::models
