#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

using LostRefs = test::ExchangeFixture;

TEST_F(LostRefs, ComeBackUnderTheNumbersThatARemoteListed) {
  auto ours = makeFullStore("ours");
  RemoteList remotes;
  remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
  ASSERT_TRUE(remotes.save(ours->folder()));
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  const Digest content = ours->resolve("sst2:v2")->contentDigest;
  const fs::path folder = ours->folder();
  for (const std::uint32_t number : {1U, 2U}) {
    ASSERT_TRUE(fs::remove(ours->refs().versionPath("sst2", number)));
  }
  ours.reset();
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(folder / (std::string("catalog.sqlite") + end));
  }
  ASSERT_TRUE(rebuildCatalog(folder, {}, {}));
  ours = std::move(Store::open(folder)).value();
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_THAT(recovered->named, ::testing::UnorderedElementsAre("sst2:v1", "sst2:v2"));
  expectSound(*ours);
  EXPECT_EQ(ours->resolve("sst2:prod")->contentDigest, content);
  EXPECT_THAT(push(*ours, remote_, {.keptAs = "hub"})->failed, IsEmpty());
}

}  // namespace
}  // namespace strata::hub
