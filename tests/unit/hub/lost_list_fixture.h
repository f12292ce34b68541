#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "hub/generation.h"
#include "tests/unit/hub/remote_care_fixture.h"

namespace strata::hub {

inline const PushOptions kPush{.keptAs = "hub"};
inline const PushOptions kRepair{.repair = true, .keptAs = "hub"};

/// A remote with two lists: of the base, and of all versions. The store has seen the second.
class LostList : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    ours_ = makeFullStore("ours");
    ASSERT_TRUE(push(*ours_, remote_, {.references = {"base"}, .keptAs = "hub"}));
    ASSERT_TRUE(push(*ours_, remote_, kPush));
    ASSERT_EQ(list().generation, 2U);
    whole_ = list().refs;
  }

  RefListing list() { return remote_.readRefs({}).value(); }
  std::filesystem::path listFile(std::uint64_t number) const {
    return folder_ / "remote" / "refs" / generationName(number);
  }
  /// The same list under the number 1, as an earlier program writes it.
  void makeAnew() const {
    test::writeWhole(listFile(1), test::unchecked(test::readWhole(listFile(2))));
    std::filesystem::remove(listFile(2));
  }
  RemoteVerifyReport verify() {
    auto report = verifyRemote(*ours_, remote_, {.keptAs = "hub"}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoteVerifyReport{});
  }
  Result<RemoteGarbageReport> collect() {
    return collectRemoteGarbage(*ours_, remote_,
                                {.dryRun = false, .graceSeconds = 0, .keptAs = "hub"}, {}, {});
  }
  /// Every command that would count on the list.
  void expectRefused(const std::string& why) {
    const auto isRefused = [&](const auto& done, const char* what) {
      ASSERT_FALSE(done) << what;
      EXPECT_EQ(done.error().code, ErrorCode::CorruptData) << what;
      EXPECT_THAT(done.error().message, ::testing::HasSubstr(why)) << what;
      EXPECT_THAT(done.error().message, ::testing::HasSubstr("push --repair")) << what;
    };
    isRefused(fetchRemote(*ours_, remote_, "hub", {}), "fetch");
    isRefused(push(*ours_, remote_, kPush), "push");
    isRefused(pull(*ours_, remote_, {.keptAs = "hub"}), "pull");
    isRefused(collect(), "gc");
    isRefused(removeRemoteVersions(*ours_, remote_, {.references = {"base"}, .keptAs = "hub"}, {}),
              "remove");
    const RemoteVerifyReport report = verify();
    ASSERT_FALSE(report.damages.empty());
    EXPECT_EQ(report.damages[0].kind, RemoteDamage::Kind::List);
    EXPECT_THAT(report.damages[0].reason, ::testing::HasSubstr(why));
    EXPECT_EQ(sharedObjects(*ours_), 8U);
  }
  PushReport repair() {
    auto report = push(*ours_, remote_, kRepair);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PushReport{});
  }

  std::unique_ptr<Store> ours_;
  std::map<std::string, RefText> whole_;
};

}  // namespace strata::hub
