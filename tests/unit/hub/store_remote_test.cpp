#include "hub/store_remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;

TEST(PagesFor, AreTheHubsCardAndNothingElsewhere) {
  const PushPages pages = pagesFor({.name = "hub", .url = "hf://acme/models"});
  ASSERT_TRUE(pages);
  const auto written = pages(RemoteLibrary{}, "");
  ASSERT_EQ(written.size(), 1U);
  EXPECT_THAT(written.at("README.md"), HasSubstr("acme/models"));
  for (const char* const url : {"file:///tmp/x", "s3://models/x", "oci://127.0.0.1:5000/a/b"}) {
    EXPECT_FALSE(pagesFor({.name = "other", .url = url})) << url;
  }
}

TEST(TransportOptionsOfSettings, SayWhatTheSettingsSay) {
  const test::TempFolder folder;
  test::writeWhole(
      folder / "config.toml",
      "jobs = 7\noffline = true\nproxy = \"http://p:1\"\n[transfer]\nlimit = \"2MB\"\n");
  const auto config = Config::load(folder / "none.toml", folder / "config.toml");
  ASSERT_TRUE(config) << config.error().message;
  const TransportOptions options = transportOptions(*config, "9.9");
  EXPECT_EQ(options.parallel, 7U);
  EXPECT_TRUE(options.offline);
  EXPECT_EQ(options.proxy, "http://p:1");
  EXPECT_EQ(options.bytesPerSecond, 2'000'000U);
  EXPECT_EQ(options.version, "9.9");
  const auto usual = Config::load(folder / "none.toml", std::nullopt);
  EXPECT_EQ(parallelTransfers(*usual), 4U);
}

}  // namespace
}  // namespace strata::hub
