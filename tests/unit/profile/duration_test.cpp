#include "core/config/duration.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsUnits) {
  EXPECT_EQ(parseDuration("90"), 90s);
  EXPECT_EQ(parseDuration("90s"), 90s);
  EXPECT_EQ(parseDuration("5m"), 300s);
  EXPECT_EQ(parseDuration("1h30m"), 5400s);
  EXPECT_EQ(parseDuration("0"), 0s);
  for (const char* text : {"", "m", "5 m", "-5", "1h30", "5x", "99999999999999999999", "1.5h"}) {
    EXPECT_FALSE(parseDuration(text)) << text;
  }
}

TEST(Duration, ComesBackAsItWas) {
  for (const auto duration : {0s, 59s, 60s, 90s, 3600s, 5400s, 86400s}) {
    EXPECT_EQ(parseDuration(durationText(duration)), duration);
  }
  EXPECT_EQ(durationText(5400s), "90m");
}

}  // namespace
}  // namespace strata
