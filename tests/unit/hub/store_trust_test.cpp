#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/config/config.h"
#include "core/config/store_owner.h"
#include "core/config/user_folders.h"
#include "core/ops/exchange/trust_store.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/store.h"
#include "core/transfer/remote_config.h"
#include "hub/accounts/account_access.h"
#include "hub/open_index.h"
#include "hub/store_remote.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using test::TempFolder;
using test::writeWhole;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

/// A store that came from somebody else, such as out of an archive.
class FoundStore : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Store::create(folder_));
    writeWhole(folder_ / "config.toml", "proxy = \"http://127.0.0.1:3128\"\noffline = false\n");
    writeWhole(folder_ / "remotes.toml",
               "[remote.hub]\nurl = \"hf://acme/models\"\nendpoint = "
               "\"https://evil.example\"\ninsecure = true\n");
  }

  RemoteConfig remote() const { return RemoteList::load(folder_)->remotes.at(0); }
  Config config() const { return Config::load(userConfigFile(), folder_ / "config.toml").value(); }
  TransportOptions options() const { return transportOptions(config(), "1"); }

  TempFolder outer_;
  fs::path folder_ = outer_ / "store";
};

TEST_F(FoundStore, DoesNotSayWhereTrafficGoes) {
  EXPECT_EQ(config().text("proxy"), "");
  const auto opened = openTransport(remote(), options());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("insecure = \"true\""));
  EXPECT_THAT(opened.error().message, HasSubstr("strata config trust " + folder_.string()));
  EXPECT_FALSE(openIndex(remote(), {}));
  EXPECT_FALSE(credentialServer(remote(), {}, processEnvironment()));
  const RemoteConfig typed{.name = {}, .url = "hf://acme/models"};
  EXPECT_THAT(openTransport(typed, options()).error().message, HasSubstr("proxy"));
  EXPECT_TRUE(openTransport({.name = {}, .url = "file:///x"}, options()));
  const auto folder =
      credentialServer({.name = {}, .url = "file:///x"}, options(), processEnvironment());
  EXPECT_EQ(folder.error().code, ErrorCode::Unsupported) << "a folder needs no login";
}

TEST_F(FoundStore, LendsNothingToAUrlThatTheUserNames) {
  const RemoteConfig chosen = RemoteList::load(folder_)->choose("hf://acme/models").value();
  EXPECT_FALSE(chosen.insecure);
  EXPECT_EQ(chosen.endpoint, "");
  EXPECT_TRUE(strata::checkConfirmed(chosen));
}

TEST_F(FoundStore, CountsOnceItsVeryValuesAreConfirmed) {
  const TrustReview review = reviewTrust(folder_).value();
  EXPECT_EQ(review.statements.size(), 3);
  EXPECT_FALSE(review.isComplete());
  ASSERT_TRUE(confirmTrust(review));
  EXPECT_TRUE(reviewTrust(folder_)->isComplete());
  EXPECT_EQ(config().text("proxy"), "http://127.0.0.1:3128");
  EXPECT_TRUE(openTransport(remote(), options()));

  writeWhole(folder_ / "config.toml", "proxy = \"http://127.0.0.1:3129\"\n");
  EXPECT_EQ(config().text("proxy"), "");
  std::string text = test::readWhole(folder_ / "remotes.toml");
  text.replace(text.find("evil"), 4, "evel");
  writeWhole(folder_ / "remotes.toml", text);
  EXPECT_FALSE(openTransport(remote(), {}));
}

TEST_F(FoundStore, IsAnotherOneInAnotherPlaceOrWithAnotherId) {
  ASSERT_TRUE(confirmTrust(reviewTrust(folder_).value()));
  fs::copy(folder_, outer_ / "copy", fs::copy_options::recursive);
  EXPECT_FALSE(reviewTrust(outer_ / "copy")->isComplete());
  writeWhole(folder_ / "store.toml", "format = 1\nid = \"another\"\n");
  EXPECT_FALSE(reviewTrust(folder_)->isComplete());
}

TEST_F(FoundStore, IsNotConfirmedByAddingARemoteToIt) {
  RemoteList list = RemoteList::load(folder_).value();
  list.remotes.push_back({.name = "mine", .url = "hf://me/models"});
  ASSERT_TRUE(list.save(folder_));
  list = RemoteList::load(folder_).value();
  EXPECT_FALSE(strata::checkConfirmed(*list.find("hub")));
  EXPECT_TRUE(strata::checkConfirmed(*list.find("mine")));
}

TEST_F(FoundStore, IsForgottenAlsoWhenItIsGone) {
  ASSERT_TRUE(confirmTrust(reviewTrust(folder_).value()));
  fs::remove_all(folder_);
  EXPECT_TRUE(forgetTrust(folder_).value());
  EXPECT_FALSE(forgetTrust(folder_).value());
}

TEST_F(FoundStore, CannotWeakenAChoiceOfTheUser) {
  writeWhole(folder_ / "config.toml", "offline = false\nrestore.verify = false\n");
  writeWhole(outer_ / "user.toml", "offline = true\nrestore.verify = true\n");
  const Config config = Config::load(outer_ / "user.toml", folder_ / "config.toml").value();
  EXPECT_TRUE(config.isOn("offline"));
  EXPECT_TRUE(config.isOn("restore.verify"));
  EXPECT_EQ(config.unconfirmed().size(), 2);
}

/// What `trash empty --expired` deletes.
TEST_F(FoundStore, MayKeepTheTrashForLongerButNotForAShorterTime) {
  writeWhole(outer_ / "user.toml", "[trash]\ndays = 20\n");
  const auto days = [&](int said) {
    writeWhole(folder_ / "config.toml", fmt::format("[trash]\ndays = {}\n", said));
    return Config::load(outer_ / "user.toml", folder_ / "config.toml")->number("trash.days");
  };
  EXPECT_EQ(days(0), 20);
  EXPECT_EQ(days(19), 20);
  EXPECT_EQ(days(30), 30);
  days(0);
  ASSERT_TRUE(confirmTrust(reviewTrust(folder_).value()));
  EXPECT_EQ(days(0), 0);
  EXPECT_EQ(days(1), 20);
}

TEST_F(FoundStore, CannotTakeTheUsersProxyAway) {
  writeWhole(folder_ / "config.toml", "proxy = \"\"\n");
  writeWhole(outer_ / "user.toml", "proxy = \"http://mine:1\"\n");
  const Config config = Config::load(outer_ / "user.toml", folder_ / "config.toml").value();
  EXPECT_EQ(config.text("proxy"), "http://mine:1");
  EXPECT_FALSE(config.checkConfirmed("proxy"));
}

TEST_F(FoundStore, ShowsNoPasswordAndKeepsNone) {
  writeWhole(folder_ / "config.toml", "proxy = \"http://bob:s3cret@127.0.0.1:3128\"\n");
  ASSERT_TRUE(confirmTrust(reviewTrust(folder_).value()));
  EXPECT_EQ(config().text("proxy"), "http://bob:s3cret@127.0.0.1:3128");
  EXPECT_THAT(test::readWhole(trustFile()), Not(HasSubstr("s3cret")));
  EXPECT_THAT(test::readWhole(trustFile()), HasSubstr("bob:***@"));
}

/// Files of other users can only be made by root.
class StoreOfAnother : public FoundStore {
 protected:
  static constexpr uid_t kOther = 54321;
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
    ::unsetenv("SUDO_UID");
    FoundStore::SetUp();
  }
  void TearDown() override { ::unsetenv("SUDO_UID"); }
};

TEST_F(StoreOfAnother, IsNotOpened) {
  for (const char* const place : {"", "store.toml", "config.toml", "remotes.toml"}) {
    const fs::path taken = *place == '\0' ? folder_ : folder_ / place;
    ASSERT_EQ(::chown(taken.c_str(), kOther, 0), 0);
    const auto opened = Store::open(folder_);
    ASSERT_FALSE(opened) << place;
    EXPECT_THAT(opened.error().message, HasSubstr("strata config trust " + folder_.string()));
    EXPECT_FALSE(RemoteList::load(folder_)) << place;
    EXPECT_FALSE(Store::rebuildCatalog(folder_, {}, {})) << place;
    EXPECT_TRUE(config().unconfirmed().empty()) << "its settings were not even read";
    ASSERT_EQ(::chown(taken.c_str(), 0, 0), 0);
  }
  EXPECT_TRUE(Store::open(folder_));
}

TEST_F(StoreOfAnother, IsOpenedOnceThatOwnerIsConfirmed) {
  ASSERT_EQ(::chown(folder_.c_str(), kOther, 0), 0);
  ASSERT_TRUE(confirmTrust(reviewTrust(folder_).value()));
  EXPECT_TRUE(Store::open(folder_));
  ASSERT_EQ(::chown(folder_.c_str(), kOther + 1, 0), 0);
  EXPECT_FALSE(Store::open(folder_)) << "another one";
}

TEST_F(StoreOfAnother, IsRootsOwnIfItsOwnerCalledSudo) {
  ASSERT_EQ(::chown(folder_.c_str(), kOther, 0), 0);
  ::setenv("SUDO_UID", std::to_string(kOther).c_str(), 1);
  EXPECT_TRUE(Store::open(folder_));
}

}  // namespace
}  // namespace strata::hub
