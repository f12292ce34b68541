// Objects on every kind of remote: what is sent comes back, and nothing shows before refs move.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hub/transports/transport_fixture.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST_F(EveryTransport, HasNoRefsWhereNobodyPushed) {
  const auto listing = connect()->readRefs({});
  if (!listing) {
    EXPECT_EQ(listing.error().code, ErrorCode::NotFound) << listing.error().message;
    return;
  }
  EXPECT_TRUE(listing->refs.empty());
  EXPECT_TRUE(listing->isNew);
}

TEST_F(EveryTransport, SaysWhereItIsWithoutASecret) {
  EXPECT_FALSE(traits_.server.empty());
  const std::string url = remote_->url();
  for (const char* const name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY"}) {
    if (!variable(name).empty()) {
      EXPECT_THAT(url, ::testing::Not(HasSubstr(variable(name))));
    }
  }
}

TEST_F(EveryTransport, GivesBackWhatWasPushed) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  const auto theirs = connect();
  EXPECT_EQ(fetched(*theirs, objects.manifestObject()).value(), objects.manifest);
  EXPECT_EQ(fetched(*theirs, objects.packObject()).value(), objects.pack);
  const auto refs = listed().refs;
  ASSERT_EQ(refs.size(), 1U);
  EXPECT_EQ(refs.at("sst2/v1"), textOf("sst2/v1"));
  EXPECT_FALSE(listed().isNew);
}

TEST_F(EveryTransport, KnowsSizesOfWhatIsThereAlone) {
  const Objects objects;
  const Objects others;
  push(*remote_, "sst2/v1", objects);
  std::vector<RemoteObject> asked = objects.all();
  asked.push_back(others.packObject());
  const auto sizes = connect()->sizesOf(asked, {});
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_EQ(*sizes, (ObjectSizes{{sha256(objects.manifest), objects.manifest.size()},
                                 {sha256(objects.pack), objects.pack.size()}}));
  const auto there = connect()->has(asked, {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_THAT(there->kept, UnorderedElementsAre(sha256(objects.manifest), sha256(objects.pack)));
  EXPECT_EQ(there->visible, there->kept);
}

TEST_F(EveryTransport, GoesOnWhereATransferStopped) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  BytesSink sink;
  const auto got = connect()->get(objects.packObject(), 50'000, sink, {}, {});
  ASSERT_TRUE(got) << got.error().message;
  const auto from = sink.hasRestarted() ? objects.pack.begin() : objects.pack.begin() + 50'000;
  EXPECT_EQ(sink.bytes(), Bytes(from, objects.pack.end()));
  EXPECT_EQ(sink.hasRestarted(), !traits_.rangedReads);
}

TEST_F(EveryTransport, NamesAnObjectThatIsNotThere) {
  push(*remote_, "sst2/v1", Objects());
  const Objects others;
  const auto got = fetched(*connect(), others.packObject());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::NotFound);
  EXPECT_THAT(got.error().message, HasSubstr(shortHex(sha256(others.pack))));
}

TEST_F(EveryTransport, NeverGivesMoreThanAnObjectHas) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  RemoteObject shorter = objects.packObject();
  shorter.byteCount = 1000;
  BytesSink sink;
  const auto got = connect()->get(shorter, 0, sink, {}, {});
  EXPECT_LE(sink.bytes().size(), 1000U);
  if (!got) {
    EXPECT_EQ(got.error().code, ErrorCode::CorruptData) << got.error().message;
  }
}

TEST_F(EveryTransport, SendsAnObjectOnce) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  Meter meter;
  const auto theirs = connect();
  const auto sent = theirs->put(objects.packObject(), BytesSource(objects.pack), {}, meter.meter());
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(fetched(*theirs, objects.packObject()).value(), objects.pack);
}

TEST_F(EveryTransport, CountsTheBytesThatItMoves) {
  const Objects objects;
  Meter up;
  ASSERT_TRUE(remote_->put(objects.manifestObject(), BytesSource(objects.manifest), {}, {}));
  const auto sent = remote_->put(objects.packObject(), BytesSource(objects.pack), {}, up.meter());
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(up.moved, 60'000);
  ASSERT_EQ(advance(*remote_, {{{"sst2/v1", {}, textOf("v1"), objects.all()}}, "push"}),
            RefOutcome::Advanced);
  Meter down;
  BytesSink sink;
  ASSERT_TRUE(connect()->get(objects.packObject(), 0, sink, {}, down.meter()));
  EXPECT_EQ(down.moved, 60'000);
}

TEST_F(EveryTransport, SendsAnObjectOfManyMegabytes) {
  Objects objects;
  objects.pack = freshBytes(std::size_t{33} << 20U);
  push(*remote_, "large/v1", objects);
  EXPECT_EQ(fetched(*connect(), objects.packObject()).value(), objects.pack);
}

TEST_F(EveryTransport, ShowsNothingBeforeTheRefsMove) {
  const Objects objects;
  push(*remote_, "sst2/v1", Objects());
  send(*remote_, objects);
  EXPECT_EQ(listed().refs.size(), 1U);
  const auto there = remote_->has(objects.all(), {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE(there->visible.empty() || there->kept == there->visible);
}

}  // namespace
}  // namespace strata::hub
