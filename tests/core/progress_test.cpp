#include "core/progress.hpp"

#include <gtest/gtest.h>

namespace yardstick {
namespace {

TEST(Progress, OneLineSaysWhatIsDoneAndHowLongItTakes) {
  ProgressState state;
  state.done = 12;
  state.total = 40;
  state.failed = 1;
  state.tokens = 81000;
  state.fraction = 0.25;
  state.current = {"a/passkey 512"};
  EXPECT_EQ(format_progress(state, 10.0, 0),
            "[=====               ] 12/40 cells, 1 failed, 8.1k tokens/s, 30s left: a/passkey 512");
  EXPECT_EQ(format_progress(state, 10.0, 20), "[=====              ");
}

TEST(Progress, NothingIsSaidBeforeItIsKnown) {
  ProgressState state;
  state.total = 3;
  EXPECT_EQ(format_progress(state, 0.0, 0), "[                    ] 0/3 cells");
}

TEST(Progress, LinesAreCutBetweenCharacters) {
  ProgressState state;
  state.total = 1;
  state.current = {"\xC3\xA9\xC3\xA9"};
  EXPECT_EQ(format_progress(state, 0.0, 35), "[                    ] 0/1 cells: \xC3\xA9");
}

TEST(Progress, DurationsAreShort) {
  EXPECT_EQ(format_duration(5.4), "5s");
  EXPECT_EQ(format_duration(75), "1m15s");
  EXPECT_EQ(format_duration(3725), "1h02m");
}

}  // namespace
}  // namespace yardstick
