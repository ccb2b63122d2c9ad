// `--profile`: where the time went, and how far that is from what the CPU can do.
#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "models/kernels/peak.hpp"

namespace yardstick::cli {

void print_profile(const std::optional<models::Profile>& profile) {
  if (!profile) {
    fmt::print(stderr, "profile: not measured; it is for float32 and bfloat16 on the CPU\n");
    return;
  }
  using models::Work;
  double sum = 0;
  for (const double seconds : profile->seconds) sum += seconds;
  if (sum <= 0) {
    fmt::print(stderr, "profile: nothing was computed\n");
    return;
  }
  const auto percent = [&](Work work) { return 100 * (*profile)[work] / sum; };
  const double peak = models::kernels::measure_peak_flops();
  fmt::print(stderr,
             "profile: products {:.1f} %, attention {:.1f} %, vocabulary {:.1f} %, everything else "
             "{:.1f} % of {:.2f} thread seconds\n"
             "profile: {:.4g} GFLOP needed, {:.1f} GFLOP/s a thread, {:.0f} % of the {:.1f} that "
             "one thread was measured to do at most\n",
             percent(Work::kProducts), percent(Work::kAttention), percent(Work::kVocabulary),
             percent(Work::kOther), sum, profile->flops / 1e9, profile->flops / sum / 1e9,
             100 * profile->flops / sum / peak, peak / 1e9);
}

}  // namespace yardstick::cli
