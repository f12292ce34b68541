// What is said of a push.
#include "cli/views/transfer_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string saidOf(const PushReport& report) {
  Output output(OutputMode::Text, {}, {});
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  printPushed(output, report, "hub", false);
  EXPECT_TRUE(output.finish());
  ::testing::internal::GetCapturedStdout();
  return ::testing::internal::GetCapturedStderr();
}

TEST(PushView, AdvisesOtherNumbersForVersionsAlone) {
  const Error invalid{ErrorCode::InvalidArgument, "it cannot be so"};
  PushReport report;
  report.failed = {{"plain files of sst2:v1", invalid}, {"the list of hub", invalid}};
  EXPECT_THAT(saidOf(report), Not(HasSubstr("--renumber")));
  report.failed.push_back({"sst2:v2", invalid});
  EXPECT_THAT(saidOf(report), HasSubstr("Fix: strata push --renumber sst2:v2 hub"));
}

}  // namespace
}  // namespace strata::cli
