// Initial weights, each a pure function of (seed, tensor name, shape): models of a set that share a
// tensor start from the same numbers, whatever else they have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/decoder/tensors.hpp"
#include "models/position/encoding.hpp"

namespace yardstick::models {

/// Row-major values: 1 for norm weights, N(0, 0.1^2) for embeddings, N(0, 0.5^2 / fan-in) for
/// projections, and `down` divided by sqrt(2 L). Keys start equal to queries, and `o` as the
/// transpose of `v` divided by sqrt(2 L): attention that starts by looking for like tokens and
/// repeating them learns retrieval in a fraction of the steps (mimetic initialisation, Trockman &
/// Kolter 2023, arXiv 2305.09828, with the opposite sign for o v).
[[nodiscard]] std::vector<float> initial_values(const DecoderTensor& tensor,
                                                const DecoderConfig& config, std::uint64_t seed);

/// FoPE's coefficient matrices of every layer, separate for sine and cosine and for each head:
/// Xavier normal over [H, n, d], std = gain sqrt(2 / ((n + H) d)), plus ones at (i step, i) with
/// step = ceil(n / d) while i step < n. Source: eye_xavier_norm of the code of arXiv 2412.17739.
[[nodiscard]] std::vector<position::LayerParameters> initial_fope_coefficients(
    const DecoderConfig& config, double gain, std::uint64_t seed);

}  // namespace yardstick::models
