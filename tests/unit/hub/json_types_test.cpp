// What a remote answers may have any type anywhere: it gives an error, never an end.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/evaluate/answer.h"
#include "core/text/json_text.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_library.h"
#include "hub/aws/aws_keys.h"
#include "hub/oci/model_pack.h"
#include "hub/oci/oci_refs.h"
#include "tests/support/json_types.h"

namespace strata::hub {
namespace {

using nlohmann::json;
using test::forOtherTypes;

VersionRef someRef() {
  VersionRef ref;
  ref.name = "ner";
  ref.number = 1;
  ref.note = "a note";
  ref.tags = {TagRef{.name = "ner", .tag = "prod", .number = 1, .note = "", .taggedAt = 5}};
  return ref;
}

RemoteVersion someVersion() {
  RemoteVersion version;
  version.ref = someRef();
  version.packs = {{sha256({}), 100, RemoteObject::Kind::Pack}};
  version.manifestBytes = 200;
  version.parentDigest = sha256({});
  version.originalBytes = 5000;
  version.format = "onnx";
  version.scores = {{"test", "accuracy", 0.9, 0.8, 100}};
  return version;
}

/// A ref file whose checksum fits again.
json sealed(const json& ref) {
  const std::string body = ref.dump();
  return {{"checksum", fmt::format("{:016x}", xxh3(std::as_bytes(std::span(body))))}, {"ref", ref}};
}

template <typename Outcome>
void expectRefused(const Outcome& outcome, const std::string& where) {
  if (outcome) return;
  const ErrorCode code = outcome.error().code;
  EXPECT_TRUE(code == ErrorCode::CorruptData || code == ErrorCode::FormatTooNew)
      << where << ": " << outcome.error().message;
}

TEST(JsonTypes, OfVersionsThatARemoteLists) {
  const json record = json::parse(toRefText(someVersion()));
  ASSERT_TRUE(parseRemoteVersion("ner/v1", record.dump()));
  forOtherTypes(record, [](const json& changed, const std::string& where) {
    expectRefused(parseRemoteVersion("ner/v1", changed.dump()), where);
    const RefListing listing{{{"ner/v1", changed.dump()}}, {}};
    const RemoteLibrary library = RemoteLibrary::from(listing);
    EXPECT_EQ(library.versions.size() + library.problems.size(), 1) << where;
  });
}

TEST(JsonTypes, OfRefFilesThatTheyHold) {
  const json record = json::parse(toRefText(someVersion()));
  forOtherTypes(record["ref"]["ref"], [&](const json& changed, const std::string& where) {
    json forged = record;
    forged["ref"] = sealed(changed);
    expectRefused(parseRemoteVersion("ner/v1", forged.dump()), where);
  });
}

TEST(JsonTypes, OfTags) {
  const json record = json::parse(toRefText(someRef().tags.front()));
  ASSERT_TRUE(parseRemoteTag("ner/tags/prod", record.dump()));
  forOtherTypes(record, [](const json& changed, const std::string& where) {
    expectRefused(parseRemoteTag("ner/tags/prod", changed.dump()), where);
  });
  forOtherTypes(record["ref"]["ref"], [&](const json& changed, const std::string& where) {
    json forged = record;
    forged["ref"] = sealed(changed);
    expectRefused(parseRemoteTag("ner/tags/prod", forged.dump()), where);
  });
}

TEST(JsonTypes, OfIndexes) {
  const RefIndex refs{{{"ner/v1", toRefText(someVersion())}}};
  const std::string text = serializeRegistryIndex({refs, {std::string(64, 'a')}}).value();
  ASSERT_TRUE(parseRegistryIndex(text, "index"));
  forOtherTypes(json::parse(text), [](const json& changed, const std::string& where) {
    expectRefused(parseRefIndex(changed.dump(), "index"), where);
    expectRefused(parseRegistryIndex(changed.dump(), "index"), where);
  });
}

TEST(JsonTypes, OfManifestsOfRegistries) {
  const RefUpdate update{"ner/v1", std::nullopt, toRefText(someVersion()), someVersion().objects()};
  const json record = json::parse(recordManifest(update, 5));
  forOtherTypes(record, [](const json& changed, const std::string& where) {
    const std::string text = changed.dump();
    const std::string digits = toHex(sha256(std::as_bytes(std::span(text))));
    expectRefused(parseRecordManifest(text, digits), where);
    expectRefused(plainVersionOf(text), where);
  });
  forOtherTypes(json::parse(indexManifest("{}", 5)),
                [](const json& changed, const std::string& where) {
                  expectRefused(parseIndexManifest(changed.dump()), where);
                });
}

TEST(JsonTypes, OfKeysOfAmazon) {
  const json keys{{"AccessKeyId", "id"},
                  {"SecretAccessKey", "key"},
                  {"Token", "t"},
                  {"Expiration", "2026-03-09T14:02:11Z"}};
  ASSERT_TRUE(awsKeysOfJson(keys.dump(), "Token", "service"));
  forOtherTypes(keys, [](const json& changed, const std::string& where) {
    expectRefused(awsKeysOfJson(changed.dump(), "Token", "service"), where);
  });
}

TEST(JsonTypes, OfAnswersOfEvaluators) {
  const json answer{
      {"id", 7},         {"score", 0.5},         {"divergence", 0.1},    {"samples", 8},
      {"correct", "ff"}, {"metric", "accuracy"}, {"expected_loss", 0.01}};
  ASSERT_TRUE(parseAnswer(answer.dump(), 7));
  forOtherTypes(answer, [](const json& changed, const std::string& where) {
    const auto parsed = parseAnswer(changed.dump(), 7);
    EXPECT_TRUE(parsed || parsed.error().code == ErrorCode::Evaluator) << where;
  });
}

TEST(AwsTime, ReadsTimesAndNothingElse) {
  EXPECT_EQ(awsTime("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(awsTime("1970-01-02T00:00:01.75Z"), 86401);
  EXPECT_EQ(awsTime("1970-01-02T02:00:01+02:00"), 86401);
  EXPECT_EQ(awsTime("1970-01-01T22:00:01-02:00"), 86401);
  EXPECT_EQ(awsTime("1970-01-02T00:00:01"), 86401);
  for (const char* wrong :
       {"", "soon", "1970-01-02", "2026-03-09T14:02:1e300Z", "2026-03-09T14:02:-1Z",
        "2026-03-09T14:02:99999999999Z", "2026-03-09T14:02:nanZ", "2026-13-09T14:02:11Z"}) {
    EXPECT_EQ(awsTime(wrong), 0) << wrong;
  }
}

}  // namespace
}  // namespace strata::hub
