#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/transfer/ref_index.h"
#include "hub/generation.h"
#include "hub/s3/s3_transport.h"
#include "tests/unit/hub/memory_bucket.h"

namespace strata::hub {
namespace {

using test::FaultReply;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A remote in a bucket in memory.
class S3Remote : public ::testing::Test {
 protected:
  S3Remote() { remote_ = connect(); }

  std::unique_ptr<S3Transport> connect() { return bucket_.connect(); }

  static RefPush pushOf(const std::string& name) {
    return {{{name, std::nullopt, R"({"kind":"test"})"}}, "push " + name};
  }

  test::MemoryBucket bucket_;
  std::unique_ptr<S3Transport> remote_;
};

TEST_F(S3Remote, ReadsAListOnceThatStaysTheSame) {
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  const auto readsOfAPush = [&](const std::string& name) {
    remote_ = connect();
    bucket_.listsRead = 0;
    EXPECT_TRUE(remote_->awaitSweep({}));
    EXPECT_TRUE(remote_->readRefs({}));
    EXPECT_EQ(remote_->advanceRefs(pushOf(name), {}).value(), RefOutcome::Advanced);
    return bucket_.listsRead;
  };
  EXPECT_EQ(readsOfAPush("a/v1"), 1U);
  bucket_.hasTags = false;
  EXPECT_EQ(readsOfAPush("b/v1"), 3U) << "nothing says that it is the same";
  bucket_.hasTags = true;
  // An older copy that was put back under its number is seen, also one that says no number.
  remote_ = connect();
  ASSERT_TRUE(remote_->awaitSweep({}));
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 3U);
  const std::string older = bucket_.keys.at("refs/" + generationName(2));
  bucket_.keys["refs/" + generationName(3)] = older.substr(0, older.rfind(",\"number\"")) + "}";
  ASSERT_TRUE(remote_->readRefs({}));
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 2U);
}

/// A list there may be written over by one who was too slow.
TEST_F(S3Remote, ReadsEachTimeWhereWritersHaveALockAlone) {
  bucket_.hasConditions = false;
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  ASSERT_TRUE(remote_->readRefs({}));
  bucket_.listsRead = 0;
  ASSERT_TRUE(remote_->readRefs({}));
  EXPECT_EQ(bucket_.listsRead, 1U);
}

TEST_F(S3Remote, HidesNoVersionsWithoutItsMarker) {
  EXPECT_TRUE(remote_->readRefs({}).value().isNew);
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  const std::string marker = bucket_.keys.at(kS3Marker);
  bucket_.keys[kS3Marker] = "";
  EXPECT_EQ(remote_->readRefs({}).value().refs.size(), 1);
  EXPECT_THAT(remote_->probe({}).value().notes, Contains(HasSubstr("missing or damaged")));
  ASSERT_EQ(connect()->advanceRefs(pushOf("new/v1"), {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(bucket_.keys.at(kS3Marker), marker);
  ASSERT_EQ(bucket_.keys.erase(kS3Marker), 1);
  const RefListing listing = remote_->readRefs({}).value();
  EXPECT_EQ(listing.refs.size(), 2);
  EXPECT_FALSE(listing.isNew);
  EXPECT_THAT(remote_->probe({}).value().notes, Contains(HasSubstr("strata.json is missing or")));
}

TEST_F(S3Remote, IsNotTakenForNewWhereItCannotBeListed) {
  bucket_.refusesLists = true;
  const auto listing = remote_->readRefs({});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::LoginRequired);
}

TEST_F(S3Remote, SaysWhatHelpsWhereTheStatusDoesNot) {
  const auto failing = [&](FaultReply reply) {
    bucket_.refusal = std::move(reply);
    return remote_->readRefs({}).error();
  };
  const auto body = [](const std::string& code) {
    return "<Error><Code>" + code + "</Code><Message>no</Message></Error>";
  };
  const Error expired = failing({.status = 400, .body = body("ExpiredToken")});
  EXPECT_EQ(expired.code, ErrorCode::LoginRequired);
  EXPECT_THAT(expired.message, HasSubstr("get new ones"));
  const Error skewed = failing({.status = 403,
                                .headers = {{"Date", "Mon, 23 Nov 2026 18:00:00 GMT"}},
                                .body = body("RequestTimeTooSkewed")});
  EXPECT_EQ(skewed.code, ErrorCode::Network);
  EXPECT_THAT(skewed.message, HasSubstr("clock of this machine is wrong: set it (the server's says "
                                        "Mon, 23 Nov 2026 18:00:00 GMT)"));
  EXPECT_EQ(failing({.status = 403, .body = body("QuotaExceeded")}).code, ErrorCode::Network);
  const Error moved =
      failing({.status = 307, .headers = {{"Location", "http://b.s3-eu-west-1.example.org/x"}}});
  EXPECT_THAT(moved.message, HasSubstr("leads to b.s3-eu-west-1.example.org: set AWS_REGION"));
  EXPECT_THAT(failing({.status = 307, .headers = {{"x-amz-bucket-region", "eu-west-1"}}}).message,
              HasSubstr("the bucket is in eu-west-1: set AWS_REGION"));
}

TEST_F(S3Remote, IsPushedToOnceOthersSeeIt) {
  std::stop_source stop;
  bucket_.afterPut = [&](const std::string& key) {
    if (key.starts_with("refs/")) stop.request_stop();
  };
  const auto outcome = remote_->advanceRefs(pushOf("base/v1"), stop.get_token());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, RefOutcome::Advanced);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_EQ(remote_->readRefs({}).value().refs.size(), 1);
}

TEST_F(S3Remote, SaysWhereOthersMaySeeAPushThatFailed) {
  bucket_.afterPut = [&](const std::string& key) {
    bucket_.refusesLists = key.starts_with("refs/");
  };
  const auto outcome = remote_->advanceRefs(pushOf("base/v1"), {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("; others may see it, so run it again"));
}

TEST_F(S3Remote, WritesAListAnewThatCannotBeRead) {
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  ASSERT_EQ(remote_->advanceRefs(pushOf("new/v1"), {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(remote_->readRefs({})->generation, 2U);
  bucket_.keys["refs/" + generationName(2)] = "";
  const auto refused = remote_->readRefs({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(refused.error().message, HasSubstr("push --repair writes the list"));
  EXPECT_FALSE(remote_->advanceRefs(pushOf("late/v1"), {}));
  const RefListing salvaged = remote_->salvageRefs({}).value();
  EXPECT_EQ(salvaged.generation, 1U);
  EXPECT_EQ(salvaged.unreadable, 2U);
  EXPECT_EQ(salvaged.refs.size(), 1U);
  RefPush mend{{}, "mend"};
  mend.above = 7;
  ASSERT_EQ(remote_->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(remote_->readRefs({})->generation, 8U);
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 1U);
}

TEST_F(S3Remote, IsNotSweptWherePushersCannotBeTold) {
  RefIndex index{.refs = {{"base/v1", R"({"kind":"test"})"}}};
  bucket_.keys["refs/" + generationName(1)] = serializeRefIndex(index).value();
  bucket_.hasConditions = false;
  const Digest digest{};
  const auto swept = remote_->sweep(remote_->readRefs({}).value(), std::span(&digest, 1), {});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace strata::hub
