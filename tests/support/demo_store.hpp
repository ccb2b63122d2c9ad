// A results database made by hand, shaped like the FoPE paper's figures: RoPE breaks beyond the
// training length, ALiBi stays flat, FoPE lies between.
#pragma once

#include <filesystem>

namespace yardstick::test {

/// Writes the database: suite "demo", four models trained at 512, a perplexity by length, a
/// pass-key grid and a multiple-choice task; one failed, one skipped and one pending cell.
void write_demo_store(const std::filesystem::path& file);

}  // namespace yardstick::test
