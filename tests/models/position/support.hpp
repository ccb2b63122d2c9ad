// Helpers of the position tests: plans to start from, filled tables, rotation of a head, and
// distances in units of the last place.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "models/position/encoding.hpp"

namespace yardstick::test {

struct Tables {
  std::vector<float> cos;  ///< [table_heads, count, pairs]
  std::vector<float> sin;
};

inline Tables fill(const position::Encoding& encoding, const position::RotationQuery& query) {
  const position::RotationShape shape = encoding.rotation(0).value();
  const auto size = static_cast<std::size_t>(shape.table_heads * query.count * shape.pairs);
  // NaN, so that an element that is not written cannot look right.
  Tables tables{std::vector<float>(size, NAN), std::vector<float>(size, NAN)};
  encoding.fill_rotation(query, tables.cos, tables.sin);
  return tables;
}

inline position::PositionPlan rope_plan(std::int64_t head_dim, double theta = 10000.0) {
  position::PositionPlan plan;
  plan.kind = position::Kind::kRope;
  plan.heads = 2;
  plan.kv_heads = 2;
  plan.head_dim = head_dim;
  plan.rotary_dims = head_dim;
  plan.theta = theta;
  return plan;
}

/// A FoPE plan of the paper's kind: floor 2 pi / training_length, separate heads and basis.
inline position::PositionPlan fope_plan(std::int64_t head_dim, std::int64_t training_length) {
  position::PositionPlan plan = rope_plan(head_dim);
  plan.kind = position::Kind::kFope;
  plan.training_length = training_length;
  plan.floor_frequency = 2.0 * M_PI / static_cast<double>(training_length);
  return plan;
}

/// Rotates one head's vector by row `row` of a one-head table, pairs (j, j + D/2), in f64.
inline std::vector<double> rotate(const std::vector<double>& x, const Tables& tables,
                                  std::size_t row) {
  const std::size_t half = x.size() / 2;
  std::vector<double> out(x.size());
  for (std::size_t j = 0; j < half; ++j) {
    const double c = tables.cos[row * half + j];
    const double s = tables.sin[row * half + j];
    out[j] = x[j] * c - x[j + half] * s;
    out[j + half] = x[j + half] * c + x[j] * s;
  }
  return out;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline std::vector<double> random_vector(std::string_view purpose, std::int64_t size) {
  Random random(7, purpose);
  std::vector<double> out;
  for (std::int64_t i = 0; i < size; ++i) out.push_back(random.normal());
  return out;
}

/// How many f32 numbers lie between two positive f32 numbers.
inline std::int64_t ulps(float a, float b) {
  return std::abs(std::int64_t{std::bit_cast<std::int32_t>(a)} -
                  std::int64_t{std::bit_cast<std::int32_t>(b)});
}

/// The message of the Error(kModel) that `action` throws, or what happened instead.
inline std::string model_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kModel ? error.what()
                                             : std::string("another kind: ") + error.what();
  }
  return "nothing was thrown";
}

}  // namespace yardstick::test
