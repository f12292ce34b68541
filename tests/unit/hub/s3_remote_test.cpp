#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "core/transfer/ref_index.h"
#include "hub/generation.h"
#include "hub/s3/s3_transport.h"
#include "tests/support/fault_server.h"
#include "tests/unit/hub/fake_clock.h"

namespace strata::hub {
namespace {

using test::FaultReply;
using test::SeenRequest;
using ::testing::Contains;
using ::testing::HasSubstr;

/// The keys of a bucket, in memory.
class S3Remote : public ::testing::Test {
 protected:
  S3Remote() {
    settings_.clock = &clock_;
    remote_ = connect();
  }

  std::unique_ptr<S3Transport> connect() {
    Credential key{.user = "key", .secret = "secret"};
    auto keys = std::make_unique<AwsKeySource>(
        key, [](const std::string&) { return std::string(); }, settings_, "us-east-1");
    std::string endpoint = server_.url("");
    S3Address address = S3Address::parse("s3://bucket", endpoint, "us-east-1", "path").value();
    return std::make_unique<S3Transport>(
        std::make_unique<S3Client>(address, "us-east-1", std::move(keys), settings_), "");
  }

  static RefPush pushOf(const std::string& name) {
    return {{{name, std::nullopt, R"({"kind":"test"})"}}, "push " + name};
  }

  FaultReply answer(const SeenRequest& request) {
    if (refusal_) return *refusal_;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string key = path.size() > 8 ? path.substr(8) : "";
    if (request.method == "GET" && key.empty()) return list(request.target);
    if (request.method == "DELETE") {
      keys_.erase(key);
      return {.status = 204};
    }
    if (request.method == "PUT") {
      if (hasConditions_ && request.headers.contains("if-none-match") && keys_.contains(key)) {
        return {.status = 412};
      }
      keys_[key] = request.body;
      if (afterPut_) afterPut_(key);
      return {};
    }
    const auto found = keys_.find(key);
    if (found == keys_.end()) return {.status = 404};
    if (request.method == "GET" && key.starts_with("refs/")) ++listsRead_;
    return {.body = found->second};
  }

  FaultReply list(const std::string& target) const {
    if (refusesLists_) return {.status = 403};
    std::string body = "<ListBucketResult>";
    const bool isOfRefs = target.find("prefix=refs") != std::string::npos;
    for (const auto& [key, text] : keys_) {
      if (key.starts_with("refs/") != isOfRefs) continue;
      body += "<Contents><Key>" + key + "</Key><Size>" + std::to_string(text.size()) + "</Size>";
      if (hasTags_)
        body += "<ETag>\"" + toHex(sha256(std::as_bytes(std::span(text)))) + "\"</ETag>";
      body += "</Contents>";
    }
    return {.body = body + "</ListBucketResult>"};
  }

  std::map<std::string, std::string> keys_;
  std::function<void(const std::string& key)> afterPut_;
  bool hasConditions_ = true;
  bool hasTags_ = true;
  unsigned listsRead_ = 0;
  bool refusesLists_ = false;
  std::optional<FaultReply> refusal_;
  test::FakeClock clock_;
  HttpSettings settings_;
  test::FaultServer server_{[this](const SeenRequest& request) { return answer(request); }};
  std::unique_ptr<S3Transport> remote_;
};

TEST_F(S3Remote, ReadsAListOnceThatStaysTheSame) {
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  const auto readsOfAPush = [&](const std::string& name) {
    remote_ = connect();
    listsRead_ = 0;
    EXPECT_TRUE(remote_->awaitSweep({}));
    EXPECT_TRUE(remote_->readRefs({}));
    EXPECT_EQ(remote_->advanceRefs(pushOf(name), {}).value(), RefOutcome::Advanced);
    return listsRead_;
  };
  EXPECT_EQ(readsOfAPush("a/v1"), 1U);
  hasTags_ = false;
  EXPECT_EQ(readsOfAPush("b/v1"), 3U) << "nothing says that it is the same";
  hasTags_ = true;
  // An older copy that was put back under its number is seen.
  remote_ = connect();
  ASSERT_TRUE(remote_->awaitSweep({}));
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 3U);
  keys_["refs/" + generationName(3)] = keys_.at("refs/" + generationName(2));
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 2U);
}

/// A list there may be written over by one who was too slow.
TEST_F(S3Remote, ReadsEachTimeWhereWritersHaveALockAlone) {
  hasConditions_ = false;
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  ASSERT_TRUE(remote_->readRefs({}));
  listsRead_ = 0;
  ASSERT_TRUE(remote_->readRefs({}));
  EXPECT_EQ(listsRead_, 1U);
}

TEST_F(S3Remote, HidesNoVersionsWithoutItsMarker) {
  EXPECT_TRUE(remote_->readRefs({}).value().isNew);
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  const std::string marker = keys_.at(kS3Marker);
  keys_[kS3Marker] = "";
  EXPECT_EQ(remote_->readRefs({}).value().refs.size(), 1);
  EXPECT_THAT(remote_->probe({}).value().notes, Contains(HasSubstr("missing or damaged")));
  ASSERT_EQ(connect()->advanceRefs(pushOf("new/v1"), {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(keys_.at(kS3Marker), marker);
  ASSERT_EQ(keys_.erase(kS3Marker), 1);
  const RefListing listing = remote_->readRefs({}).value();
  EXPECT_EQ(listing.refs.size(), 2);
  EXPECT_FALSE(listing.isNew);
  EXPECT_THAT(remote_->probe({}).value().notes, Contains(HasSubstr("strata.json is missing or")));
}

TEST_F(S3Remote, IsNotTakenForNewWhereItCannotBeListed) {
  refusesLists_ = true;
  const auto listing = remote_->readRefs({});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::LoginRequired);
}

TEST_F(S3Remote, SaysWhatHelpsWhereTheStatusDoesNot) {
  const auto failing = [&](FaultReply reply) {
    refusal_ = std::move(reply);
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
  afterPut_ = [&](const std::string& key) {
    if (key.starts_with("refs/")) stop.request_stop();
  };
  const auto outcome = remote_->advanceRefs(pushOf("base/v1"), stop.get_token());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, RefOutcome::Advanced);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_EQ(remote_->readRefs({}).value().refs.size(), 1);
}

TEST_F(S3Remote, SaysWhereOthersMaySeeAPushThatFailed) {
  afterPut_ = [&](const std::string& key) { refusesLists_ = key.starts_with("refs/"); };
  const auto outcome = remote_->advanceRefs(pushOf("base/v1"), {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("; others may see it, so run it again"));
}

TEST_F(S3Remote, WritesAListAnewThatCannotBeRead) {
  ASSERT_EQ(remote_->advanceRefs(pushOf("base/v1"), {}).value(), RefOutcome::Advanced);
  ASSERT_EQ(remote_->advanceRefs(pushOf("new/v1"), {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(remote_->readRefs({})->generation, 2U);
  keys_["refs/" + generationName(2)] = "";
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
  keys_["refs/" + generationName(1)] = serializeRefIndex(index).value();
  hasConditions_ = false;
  const Digest digest{};
  const auto swept = remote_->sweep(remote_->readRefs({}).value(), std::span(&digest, 1), {});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace strata::hub
