#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/verify_remote.h"
#include "core/ops/versions/edit_source.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/operation_history.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/transfer/remote_version.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kPlace = "hf://acme/base@0123456789012345678901234567890123456789";

/// Versions go to a remote, and their public base does not.
class BaseElsewhereTest : public test::ExchangeFixture {
 protected:
  /// With sst2:v1, a difference to a base that came from `url`.
  std::unique_ptr<Store> makeSender(const std::string& url) const {
    auto store = makeStore("ours");
    const auto imported =
        strata::importBase(*store, *test::makeModel(1), {.name = "base", .sourceUrl = url}, {}, {});
    EXPECT_TRUE(imported) << imported.error().message;
    add(*store, "sst2", 11);
    return store;
  }

  /// What the program does once the user said yes. `seed` is that of the model that is there.
  static BaseFetcher fetcher(Store& store, unsigned seed) {
    return [&store, seed](const BaseElsewhere& base, const std::stop_token& stop,
                          const ProgressSink& progress) -> Result<void> {
      EXPECT_EQ(base.url, kPlace);
      EXPECT_EQ(base.name, "base");
      EXPECT_EQ(base.file, test::makeModel(1)->description().files[0].path);
      const auto stored = importElsewhere(store, *test::makeModel(seed), base,
                                          {.sourceUrl = base.url}, stop, progress);
      if (!stored) return fail(stored.error());
      return {};
    };
  }

  Result<PullReport> pullInto(Store& store, BaseFetcher fetchBase = {}) {
    return pull(store, remote_, {.fetchBase = std::move(fetchBase)});
  }
};

TEST_F(BaseElsewhereTest, StaysOutAndIsFetchedWhereItIs) {
  const auto ours = makeSender(kPlace);
  const auto pushed = push(*ours, remote_, {.withBase = false});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("sst2:v1"));
  ASSERT_THAT(pushed->leftOut, SizeIs(1));
  EXPECT_EQ(pushed->leftOut[0].url, kPlace);
  EXPECT_FALSE(std::filesystem::exists(onlyPackOf(*ours, "base")));

  const auto theirs = makeStore("theirs");
  const auto told = pull(*theirs, remote_, {.dryRun = true});
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_THAT(told->bases, SizeIs(1));
  EXPECT_EQ(told->bases[0].byteCount, ours->resolve("base").value().originalBytes);
  const auto pulled = pullInto(*theirs, fetcher(*theirs, 1));
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("sst2:v1"));
  EXPECT_THAT(pulled->bases, SizeIs(1));
  EXPECT_EQ(theirs->resolve("base:v1").value().sourceUrl, kPlace);
  expectSound(*theirs);
}

TEST_F(BaseElsewhereTest, IsNamedWhereNobodyMayFetchIt) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto theirs = makeStore("theirs");
  const auto pulled = pullInto(*theirs);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::BaseMismatch);
  EXPECT_THAT(pulled.error().message, HasSubstr(kPlace));
  EXPECT_THAT(theirs->catalog().versions().value(), IsEmpty());
}

TEST_F(BaseElsewhereTest, CountsWithItsContentAlone) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto theirs = makeStore("theirs");
  const auto pulled = pullInto(*theirs, fetcher(*theirs, 2));
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(pulled.error().message, HasSubstr(kPlace));
  EXPECT_THAT(theirs->catalog().versions().value(), IsEmpty());
  EXPECT_THAT(std::filesystem::is_empty(theirs->folder() / "objects"), true);
}

TEST_F(BaseElsewhereTest, IsUsedUnderAnyNameWhereItLiesHere) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(
      strata::importBase(*theirs, *test::makeModel(1), {.name = "mine", .raw = true}, {}, {}));
  const auto pulled = pullInto(*theirs);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->bases, IsEmpty());
  expectSound(*theirs);
}

TEST_F(BaseElsewhereTest, TakesTheNextNumberWhereItsNameIsTaken) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(strata::importBase(*theirs, *test::makeModel(3), {.name = "base"}, {}, {}));
  const auto pulled = pullInto(*theirs, fetcher(*theirs, 1));
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(theirs->resolve("base:v2").value().isBase());
  expectSound(*theirs);
}

TEST_F(BaseElsewhereTest, IsTakenFromTheRemoteOnceItIsThere) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto pulled = pullInto(*theirs);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "sst2:v1"));
  EXPECT_THAT(pulled->bases, IsEmpty());
}

TEST_F(BaseElsewhereTest, IsNoDamageOfTheRemote) {
  const auto ours = makeSender(kPlace);
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto report = verifyRemote(*ours, remote_, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->sound());
  EXPECT_THAT(report->elsewhere, SizeIs(1));
  const auto collected = collectRemoteGarbage(*ours, remote_, {.graceSeconds = 0}, {}, {});
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_THAT(collected->freed, IsEmpty());
}

TEST_F(BaseElsewhereTest, IsNowhereWithoutASourceToFetch) {
  const auto ours = makeSender("https://bob:secret@example.org/base.onnx");
  const auto pushed = push(*ours, remote_, {.withBase = false});
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_THAT(pushed->leftOut, SizeIs(1));
  EXPECT_EQ(pushed->leftOut[0].url, "");
  const auto theirs = makeStore("theirs");
  const auto pulled = pullInto(*theirs, fetcher(*theirs, 1));
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::BaseMismatch);
  EXPECT_FALSE(verifyRemote(*ours, remote_, {}, {}, {}).value().sound());
}

TEST_F(BaseElsewhereTest, IsToldOfOnceItsPlaceIsKnown) {
  const auto ours = makeSender("");
  ASSERT_TRUE(push(*ours, remote_, {.withBase = false}));
  const auto edited = editSource(*ours, {.reference = "base", .url = kPlace});
  ASSERT_TRUE(edited) << edited.error().message;
  const auto pushed = push(*ours, remote_, {.withBase = false});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->leftOut, SizeIs(1));
  EXPECT_THAT(pushed->mended, IsEmpty());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pullInto(*theirs, fetcher(*theirs, 1)));
  expectSound(*theirs);
  const auto again = push(*ours, remote_, {.withBase = false});
  ASSERT_TRUE(again);
  EXPECT_THAT(again->leftOut, IsEmpty());
}

TEST_F(BaseElsewhereTest, GetsASourceThatCanBeTakenBack) {
  auto ours = makeSender("");
  ASSERT_TRUE(editSource(*ours, {.reference = "base", .url = kPlace}));
  EXPECT_EQ(ours->resolve("base").value().sourceUrl, kPlace);
  EXPECT_FALSE(editSource(*ours, {.reference = "base", .url = "/tmp/base.onnx"}));
  ASSERT_TRUE(undoOperation(*ours, {}));
  EXPECT_EQ(ours->resolve("base").value().sourceUrl, "");
  ASSERT_TRUE(undoOperation(*ours, {.again = true}));
  EXPECT_EQ(ours->resolve("base").value().sourceUrl, kPlace);
  ours.reset();
  ASSERT_TRUE(Store::rebuildCatalog(folder_ / "ours", {}, {}));
  ours = Store::open(folder_ / "ours").value();
  EXPECT_EQ(ours->resolve("base").value().sourceUrl, kPlace);
}

TEST(BaseElsewhereUrl, IsOneThatAPlainModelIsFetchedFrom) {
  for (const char* const url :
       {"hf://acme/base", "hf://acme/base@main/a.onnx", "https://example.org/a.onnx",
        "http://127.0.0.1:8000/a.onnx", "http://localhost/a", "http://[::1]:9/a"}) {
    EXPECT_TRUE(isFetchable(url)) << url;
  }
  for (const char* const url :
       {"", "hf://", "https://", "file:///etc/passwd", "s3://bucket/a", "oci://host/a",
        "http://example.org/a", "http://localhost.example.org/a", "http://127.0.0.1@example.org/a",
        "https://bob:secret@example.org/a", "https://example.org/a b", "https://example.org/\n",
        "https://example.org/\xc3\xa4", "base.onnx", "https:/example.org/a"}) {
    EXPECT_FALSE(isFetchable(url)) << url;
  }
  EXPECT_FALSE(isFetchable("https://example.org/" + std::string(4000, 'a')));
}

TEST(BaseElsewhereUrl, ComesBackFromARefOrNotAtAll) {
  RemoteVersion version;
  version.ref.name = "sst2";
  version.ref.number = 1;
  version.parentDigest = Digest{};
  const BaseElsewhere base{Digest{}, "base", kPlace, "model.onnx", 90'000'000};
  const auto backOf = [&](const BaseElsewhere& one) {
    version.base = one;
    return parseRemoteVersion("sst2/v1", toRefText(version));
  };
  ASSERT_TRUE(backOf(base)) << backOf(base).error().message;
  EXPECT_EQ(backOf(base)->base, base);
  for (const auto& [name, url, file] :
       std::vector<std::array<const char*, 3>>{{"../base", kPlace, "model.onnx"},
                                               {"base", "file:///etc/passwd", "model.onnx"},
                                               {"base", kPlace, "../model.onnx"},
                                               {"base", kPlace, "sub/model.onnx"}}) {
    EXPECT_FALSE(backOf({Digest{}, name, url, file, 1})) << name << " " << url << " " << file;
  }
}

}  // namespace
}  // namespace strata::hub
