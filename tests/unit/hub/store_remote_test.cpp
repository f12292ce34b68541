#include "hub/store_remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/kept_upload.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;

TEST(CardsFor, AreTheHubsCardAndNothingElsewhere) {
  const PushCards cards = cardsFor({.name = "hub", .url = "hf://acme/models"});
  ASSERT_TRUE(cards);
  const auto written = cards(RemoteLibrary{}, "");
  ASSERT_EQ(written.size(), 1U);
  EXPECT_THAT(written.at("README.md"), HasSubstr("acme/models"));
  for (const char* const url : {"file:///tmp/x", "s3://models/x", "oci://127.0.0.1:5000/a/b"}) {
    EXPECT_FALSE(cardsFor({.name = "other", .url = url})) << url;
  }
}

TEST(RemotesOfTheHub, AreWholeModelRepositories) {
  for (const auto& [url, why] :
       {std::pair{"hf://acme/x/sub/dir", "a whole repository, not sub/dir in one"},
        std::pair{"hf://datasets/org/x", "one of the hub's datasets"},
        std::pair{"hf://spaces/org/x", "one of the hub's spaces"}}) {
    const auto opened = openTransport({.name = "hub", .url = url}, {});
    ASSERT_FALSE(opened) << url;
    EXPECT_EQ(opened.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(opened.error().message, HasSubstr(why));
  }
  EXPECT_TRUE(openTransport({.name = "hub", .url = "hf://acme/x@main"}, {}));
}

TEST(TransportOptionsOfSettings, SayWhatTheSettingsSay) {
  const test::TempFolder folder;
  test::writeWhole(
      folder / "user.toml",
      "jobs = 7\noffline = true\nproxy = \"http://p:1\"\n[transfer]\nlimit = \"2MB\"\n");
  const auto config = Config::load(folder / "user.toml", std::nullopt);
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

class KeptUploads : public ::testing::Test {
 protected:
  std::size_t leftCount(std::string_view place = "here") {
    return KeptUpload::leftAt(folder_.path(), place).size();
  }

  const test::TempFolder folder_;
  const Digest object_ = sha256(std::as_bytes(std::span("object")));
};

TEST_F(KeptUploads, AreThereForALaterRun) {
  {
    auto upload = KeptUpload::open(folder_.path(), "here", object_);
    ASSERT_TRUE(upload.isKept());
    EXPECT_EQ(upload.text(), "");
    upload.write("a longer name of it");
    upload.write("its name");
  }
  EXPECT_EQ(leftCount(), 1U);
  EXPECT_EQ(leftCount("elsewhere"), 0U);
  EXPECT_EQ(KeptUpload::open(folder_.path(), "elsewhere", object_).text(), "");
  auto again = KeptUpload::open(folder_.path(), "here", object_);
  EXPECT_EQ(again.text(), "its name");
  again.forget();
  EXPECT_EQ(leftCount(), 0U);
  EXPECT_EQ(test::entryCount(folder_.path()), 0U);
}

TEST_F(KeptUploads, BelongToOneRunAtATime) {
  auto upload = KeptUpload::open(folder_.path(), "here", object_);
  upload.write("its name");
  auto second = KeptUpload::open(folder_.path(), "here", object_);
  EXPECT_FALSE(second.isKept());
  EXPECT_EQ(second.text(), "");
  second.write("another");
  second.forget();
  EXPECT_EQ(leftCount(), 0U) << "somebody is at it";
  EXPECT_EQ(upload.text(), "its name");
}

TEST_F(KeptUploads, NeedNoFolder) {
  auto upload = KeptUpload::open({}, "here", object_);
  EXPECT_FALSE(upload.isKept());
  upload.write("its name");
  EXPECT_EQ(upload.text(), "");
  EXPECT_TRUE(KeptUpload::leftAt({}, "here").empty());
  EXPECT_TRUE(KeptUpload::leftAt(folder_.path() / "none", "here").empty());
}

}  // namespace
}  // namespace strata::hub
