#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hub/http/xml_text.h"
#include "hub/oci/oci_auth.h"
#include "hub/oci/oci_client.h"
#include "hub/oci/oci_refs.h"
#include "hub/s3/s3_address.h"
#include "tests/support/fault_server.h"

namespace strata::hub {
namespace {

TEST(S3Address, EncodesAndSortsAsSignaturesWant) {
  const auto address =
      S3Address::parse("s3://models/team a/+=&", "http://127.0.0.1:9000/", "us-east-1", "");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->keyUrl("objects/ab"),
            "http://127.0.0.1:9000/models/team%20a/%2B%3D%26/objects/ab");
  EXPECT_EQ(address->bucketUrl({{"uploads", ""}, {"list-type", "2"}, {"prefix", "a/b~"}}),
            "http://127.0.0.1:9000/models?list-type=2&prefix=a%2Fb~&uploads=");
  EXPECT_EQ(address->url(), "s3://models/team a/+=&");
  EXPECT_EQ(S3Address::parse("s3://models/", "", "us-east-1", "")->url(), "s3://models");
}

TEST(S3Address, ChoosesTheStyle) {
  const auto url = [](const char* bucket, const char* endpoint, const char* style) {
    const auto address = S3Address::parse(bucket, endpoint, "eu-west-1", style);
    return address ? address->keyUrl("k") : address.error().message;
  };
  EXPECT_EQ(url("s3://models", "", ""), "https://models.s3.eu-west-1.amazonaws.com/k");
  EXPECT_EQ(url("s3://mod.els", "", ""), "https://s3.eu-west-1.amazonaws.com/mod.els/k");
  EXPECT_EQ(url("s3://models/p", "", "path"), "https://s3.eu-west-1.amazonaws.com/models/p/k");
  EXPECT_EQ(url("s3://models", "https://s3.example.org", "virtual"),
            "https://models.s3.example.org/k");
}

TEST(S3Address, RefusesWhatIsNone) {
  for (const char* const url : {"s3://", "s3://ab", "s3://a/b", "s3://-abc/x", "s3://abc/../x",
                                "s3://abc//x", "s3://a b c/x", "hf://abc/x"}) {
    EXPECT_FALSE(S3Address::parse(url, "", "us-east-1", "")) << url;
  }
  EXPECT_FALSE(S3Address::parse("s3://models", "ftp://x", "us-east-1", ""));
}

TEST(S3Xml, FindsElementsAndEntities) {
  const std::string_view text =
      "<R><C><Key>a&amp;b</Key><ETag>&quot;1&quot;</ETag></C><C><Key>c</Key></C><C><Key>cut";
  const auto entries = xmlElements(text, "C");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(xmlText(entries[0], "Key"), "a&b");
  EXPECT_EQ(xmlText(entries[0], "ETag"), "\"1\"");
  EXPECT_EQ(xmlText(entries[1], "ETag"), "");
}

TEST(OciAddress, TakesRepositoriesOnly) {
  EXPECT_EQ(OciAddress::parse("oci://ghcr.io/a/b-c", false)->origin, "https://ghcr.io");
  EXPECT_EQ(OciAddress::parse("oci://127.0.0.1:5000/a", false)->origin, "http://127.0.0.1:5000");
  EXPECT_EQ(OciAddress::parse("oci://lab:5000/a", true)->origin, "http://lab:5000");
  const OciAddress here = OciAddress::parse("oci://127.0.0.1:5000/a", false).value();
  EXPECT_EQ(here.reachedBy({}).origin, "http://127.0.0.1:5000");
  EXPECT_EQ(here.reachedBy({.caFile = "ca.pem"}).origin, "https://127.0.0.1:5000");
  EXPECT_EQ(here.reachedBy({.insecure = true, .plainHttp = true}).origin, "http://127.0.0.1:5000");
  for (const char* const url : {"oci://", "oci://host", "oci://host/", "oci://host/Upper",
                                "oci://host/a/../b", "oci://host/a:tag", "oci://host/a//b"}) {
    EXPECT_FALSE(OciAddress::parse(url, false)) << url;
  }
}

TEST(AuthChallenges, AreReadWhateverTheirOrder) {
  const AuthChallenge bearer = readChallenge(
      "Bearer scope=\"repository:a/b:pull,push\",service=\"s\", realm=\"https://x/t?a=b\"");
  EXPECT_EQ(bearer.kind, AuthChallenge::Kind::Bearer);
  EXPECT_EQ(bearer.realm, "https://x/t?a=b");
  EXPECT_EQ(bearer.service, "s");
  EXPECT_EQ(bearer.scope, "repository:a/b:pull,push");
  EXPECT_EQ(readChallenge("basic realm=\"r\"").kind, AuthChallenge::Kind::Basic);
  EXPECT_EQ(readChallenge("Negotiate").kind, AuthChallenge::Kind::None);
  EXPECT_EQ(readChallenge("").kind, AuthChallenge::Kind::None);
}

TEST(RegistryTokens, AreNotAskedOfAStrangersNetwork) {
  const Credential credential{.user = "me", .secret = "password-of-mine"};
  for (const char* const realm :
       {"http://auth.example.org/t", "https://10.0.0.1/t", "https://localhost/t", "file:///t"}) {
    HttpClient client(HttpSettings{});
    OciAuth auth(client, "https://registry.example.org", credential);
    AuthChallenge challenge{AuthChallenge::Kind::Bearer, realm, "s", {}};
    const auto answered = auth.answer(challenge, "repository:a:pull", {});
    ASSERT_FALSE(answered) << realm;
    EXPECT_EQ(answered.error().code, ErrorCode::CorruptData) << answered.error().message;
    EXPECT_EQ(auth.header("repository:a:pull"), "");
  }
}

TEST(RegistryTokens, PasswordsGoToServersThatTheUserNamed) {
  const Credential credential{.user = "me", .secret = "password-of-mine"};
  std::vector<std::string> seen;
  test::FaultServer server([&](const test::SeenRequest& request) {
    seen.push_back(request.target);
    return test::FaultReply{.status = 200, .body = "{\"token\":\"t\"}"};
  });
  const std::string there = hostOfUrl(server.url());
  const AuthChallenge challenge{AuthChallenge::Kind::Bearer, server.url("/t"), "s", {}};
  const auto answer = [&](const std::string& registry, const std::string& realms,
                          std::optional<Credential> shown) {
    HttpSettings http;
    http.realms = realms;
    HttpClient client(http);
    OciAuth auth(client, registry, std::move(shown));
    return auth.answer(challenge, "repository:a:pull", {});
  };
  const auto refused = answer("http://localhost:5000", "", credential);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("oci.realms localhost:5000=" + there), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(answer("http://localhost:5000", "", std::nullopt)) << "nobody's password";
  EXPECT_TRUE(answer("http://localhost:5000", "a.example=b, localhost:5000=" + there, credential));
  EXPECT_TRUE(answer("http://127.0.0.1:5000", "", credential)) << "the registry's own host";
}

TEST(RegistryTokens, SecretsDoNotComeBackInErrors) {
  test::FaultServer server([](const test::SeenRequest&) {
    return test::FaultReply{.status = 400, .body = "{\"error\":\"refresh-me is unknown\"}"};
  });
  HttpClient client(HttpSettings{});
  Credential credential{.user = "", .secret = "refresh-me"};
  credential.isIdentityToken = true;
  OciAuth auth(client, server.url(), credential);
  const auto answered =
      auth.answer({AuthChallenge::Kind::Bearer, server.url("/t"), "s", {}}, "a", {});
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().message.find("refresh-me"), std::string::npos)
      << answered.error().message;
}

TEST(RegistryTokens, APasswordThatAnotherThreadShowedFirstIsShownAgain) {
  HttpClient client(HttpSettings{});
  OciAuth auth(client, "https://registry.example.org", Credential{.user = "me", .secret = "word"});
  for (int thread = 0; thread < 2; ++thread) {
    ASSERT_TRUE(auth.answer({AuthChallenge::Kind::Basic, {}, {}, {}}, "a", {}));
    EXPECT_TRUE(auth.header("a").starts_with("Basic ")) << "both began without it";
  }
}

RefUpdate update(const std::string& name, std::optional<RefText> expected, RefText text) {
  return {.name = name, .expected = std::move(expected), .text = std::move(text)};
}

RefRecord recordOf(const RefUpdate& change, std::int64_t time) {
  const std::string manifest = recordManifest(change, time);
  auto parsed = parseRecordManifest(manifest, digitsOfTag(recordTag(manifest)));
  EXPECT_TRUE(parsed) << parsed.error().message;
  parsed->record.text = parsed->config.data;
  return parsed->record;
}

TEST(RegistryRefs, SurviveTheirManifest) {
  const RefRecord record = recordOf(update("sst2/v2", "{\"a\":1}", "{\"b\":2}"), 1234);
  EXPECT_EQ(record.name, "sst2/v2");
  EXPECT_EQ(record.expected, hashOfRef("{\"a\":1}"));
  EXPECT_EQ(record.text, "{\"b\":2}");
  EXPECT_EQ(record.createdAt, 1234);
}

TEST(RegistryRefs, RefuseManifestsThatAreNotTheirs) {
  const std::string manifest = recordManifest(update("a/v1", {}, "{}"), 1);
  const std::string digits = digitsOfTag(recordTag(manifest));
  EXPECT_FALSE(parseRecordManifest(manifest + " ", digits));
  for (const std::string& other : {std::string("{}"), std::string("[]"), std::string("x"),
                                   std::string("{\"config\":{},\"annotations\":3}")}) {
    EXPECT_FALSE(parseRecordManifest(other, digitsOfTag(recordTag(other)))) << other;
  }
  EXPECT_EQ(digitsOfTag("m-123"), "");
  EXPECT_EQ(digitsOfTag("latest"), "");
}

TEST(RegistryRefs, MergeTheSameInAnyOrder) {
  const RefRecord first = recordOf(update("t", {}, "{\"n\":1}"), 10);
  const RefRecord second = recordOf(update("t", "{\"n\":1}", "{\"n\":2}"), 5);  // a slow clock
  const RefRecord rival = recordOf(update("t", {}, "{\"n\":9}"), 11);
  for (const auto& order : {std::vector{first, second, rival}, std::vector{rival, second, first}}) {
    RegistryIndex index;
    mergeRecords(index, order);
    EXPECT_EQ(index.refs.refs.at("t"), "{\"n\":2}");
    EXPECT_EQ(index.merged.size(), 3U);
  }
}

TEST(RegistryRefs, KeepWhatTheIndexSays) {
  RegistryIndex index;
  mergeRecords(index, {recordOf(update("a/v1", {}, "{\"n\":1}"), 1)});
  const auto read = parseRegistryIndex(serializeRegistryIndex(index).value(), "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->refs.refs, index.refs.refs);
  EXPECT_EQ(read->merged, index.merged);
  EXPECT_FALSE(parseRegistryIndex("{\"format\":99,\"refs\":{}}", "test"));
}

TEST(RegistryRefs, AreNeverWrittenBeyondWhatIsRead) {
  RegistryIndex index;
  const std::string digits(55, 'a');
  for (int i = 0; i < 510'000; ++i) {
    index.merged.insert(index.merged.end(), fmt::format("{}{:09}", digits, i));
  }
  const auto refused = serializeRegistryIndex(index);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  while (index.merged.size() > 500'000) index.merged.erase(std::prev(index.merged.end()));
  const auto read = parseRegistryIndex(serializeRegistryIndex(index).value(), "test");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->merged.size(), 500'000U);
  // Each change of a version adds two tags, one of a tag adds one.
  const std::vector<RefUpdate> changes{update("a/v1", {}, "{}")};
  const std::size_t added = std::string_view("\"a-v1\",\"m-\",").size() + 64;
  EXPECT_TRUE(checkTagsFit(kMostTagBytes - added, changes));
  EXPECT_EQ(checkTagsFit(kMostTagBytes - added + 1, changes).error().code,
            ErrorCode::InvalidArgument);
}

TEST(RegistryRefs, HaveTagsThatPeopleRead) {
  EXPECT_EQ(readableTag("sst2/v2"), "sst2-v2");
  EXPECT_EQ(readableTag("sst2/tags/prod"), "");
  const std::string word = readableTag("org%2Fsst2/v2");
  EXPECT_TRUE(word.starts_with("org_sst2-") && word.ends_with("-v2")) << word;
  EXPECT_NE(word, readableTag("org_sst2/v2"));
  EXPECT_NE(readableTag("\xC3\xA9/v1"), readableTag("\xC3\xA8/v1"));
  EXPECT_EQ(readableTag("\xC3\xA9/v1").find_first_not_of("0123456789abcdef_-v"), std::string::npos);
  EXPECT_EQ(readableTag(std::string(200, 'a') + "/v1"), "");
}

}  // namespace
}  // namespace strata::hub
