#include "hub/http/url.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include "core/text/json_text.h"
#include "hub/http/redaction.h"

namespace strata::hub {
namespace {

TEST(Url, TellsOriginsApart) {
  const auto one = originOf("https://Example.org/a");
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, (Origin{"https", "example.org", "443"}));
  EXPECT_EQ(originOf("https://example.org:443/b").value(), *one);
  EXPECT_NE(originOf("https://example.org:444/").value(), *one);
  EXPECT_NE(originOf("http://example.org:443/").value(), *one);
}

TEST(Url, KnowsPrivateAddresses) {
  for (const char* address :
       {"127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.0.9", "169.254.1.1",
        "100.64.0.1", "::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "0.0.0.0", "::"}) {
    EXPECT_TRUE(isPrivateAddress(address)) << address;
  }
  for (const char* address : {"8.8.8.8", "172.32.0.1", "2001:db8::1", "example.org", ""}) {
    EXPECT_FALSE(isPrivateAddress(address)) << address;
  }
  EXPECT_TRUE(isLoopbackHost("[::1]"));
  EXPECT_FALSE(isLoopbackHost("10.0.0.1"));
}

TEST(Url, EncodesAllThatSignaturesMind) {
  EXPECT_EQ(encodePath("a b/+=:@(x)~"), "a%20b/%2B%3D%3A%40%28x%29~");
  EXPECT_EQ(encodeSegment("refs/pr/4"), "refs%2Fpr%2F4");
}

TEST(Url, ShowsNeitherQueryNorPassword) {
  EXPECT_EQ(redactUrl("https://me:word@host/a?sig=1#x"), "https://host/a");
  EXPECT_EQ(redactUrl("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(redactUrl("me:word@host/a@b"), "host/a@b");
}

TEST(Redactor, HidesWhatFollowsKnownWords) {
  Redactor redactor;
  redactor.learn("abcd");
  redactor.learn("abcdef");
  EXPECT_EQ(redactor.redact("xabcdefx"), "x***x");
  EXPECT_EQ(redactor.redact("Authorization: Bearer hf_x, y"), "Authorization: Bearer ***, y");
  EXPECT_EQ(redactor.redact("/a?X-Amz-Signature=12&b=1"), "/a?X-Amz-Signature=***&b=1");
}

TEST(JsonText, GivesTheMembersOfAnObjectOneByOne) {
  std::string seen;
  const auto parse = [&](std::string_view text, std::size_t most = 100) {
    seen.clear();
    return parseJsonMembers(text, "x", "in", [&](const std::string& name, const auto& member) {
      seen += name + "=" + member.dump() + " ";
      return --most > 0;
    });
  };
  const auto rest = parse(R"({"a":{"in":{"b":1}},"in":{"c":{"in":{"d":[2]}},"e":[],"f":3},"g":4})");
  ASSERT_TRUE(rest);
  EXPECT_EQ(seen, R"(c={"in":{"d":[2]}} e=[] f=3 )");
  EXPECT_EQ(anyMember(*rest, "a").dump(), R"({"in":{"b":1}})");
  EXPECT_EQ(countMember(*rest, "g"), 4U);
  const auto stopped = parse(R"({"in":{"c":1,"e":{},"f":3},"g":4})", 1);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(seen, "c=1 ");
  EXPECT_EQ(countMember(*stopped, "g"), 4U);
  for (const char* none : {R"({"in":[{"c":1}]})", R"([{"in":{"c":1}}])", R"({"in":3})", "[]"}) {
    EXPECT_TRUE(parse(none)) << none;
    EXPECT_EQ(seen, "") << none;
  }
  EXPECT_FALSE(parse(R"({"in":{"c":1})"));
  ASSERT_TRUE(
      parse(R"({"":{"in":{}},"in":{"":{"":[{}]},"in":{"in":1},"in":"\u0000"},"b":{"in":2}})"));
  EXPECT_EQ(seen, R"(={"":[{}]} in={"in":1} in="\u0000" )");
  for (const char* twice : {R"({"in":{"c":1},"in":{}})", R"({"in":1,"i\u006e":{"c":1}})"}) {
    const auto refused = parse(twice);
    ASSERT_FALSE(refused) << twice;
    EXPECT_EQ(refused.error().message, "x: has the member \"in\" more than once");
  }
}

TEST(JsonText, CountsWhatItKeepsBesideTheMembers) {
  const auto skip = [](const std::string&, const auto&) { return true; };
  std::string half = "[";
  for (int i = 0; i < 2'600'000; ++i) half += "[],";
  half += "1]";
  EXPECT_TRUE(
      parseJsonMembers(R"({"in":{"a":)" + half + R"(,"b":)" + half + "}}", "x", "in", skip));
  EXPECT_FALSE(
      parseJsonMembers(R"({"a":)" + half + R"(,"in":{"c":1},"b":)" + half + "}", "x", "in", skip));
}

TEST(JsonText, ReadsWhatTheLibraryReads) {
  for (const char* text :
       {R"({"a":1,"a":{"b":2},"":[]})",
        R"({"a":{"b":{"c":1},"b":[{"c":2}]},"a":{"b":3}})",
        "[18446744073709551615,18446744073709551616,-9223372036854775809,1e308,-0,-0.0]",
        R"("\ud83d\ude00\u0000")",
        "null",
        "[[],[[{}]],{\"a\":[null,true,false]}]",
        " 7 ",
        "\xef\xbb\xbf[]",
        "1e999",
        R"("\ud800")",
        "\"\xff\"",
        "{}{}",
        "[1,]",
        "",
        "nul",
        "01",
        R"({"a" 1})",
        "{\"a\":1,}",
        "[\"\n\"]",
        "/**/1"}) {
    const auto read = parseJson(text, "x");
    const auto expected = nlohmann::json::parse(text, nullptr, false);
    EXPECT_EQ(read.has_value(), !expected.is_discarded()) << text;
    if (read) {
      EXPECT_EQ(read->dump(), expected.dump()) << text;
    }
  }
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parseJson(nested(64), "x"));
  const auto refused = parseJson(nested(65), "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "x: is nested deeper than 64 levels");
}

TEST(JsonText, RefusesDeepAndBrokenTexts) {
  EXPECT_FALSE(parseJson(std::string(100'000, '['), "x"));
  std::string many = "[";
  for (int i = 0; i < 5'100'000; ++i) many += "[],";
  const auto refused = parseJson(many + "1]", "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "x: holds more than 5000000 values");
  EXPECT_FALSE(parseJson("{\"a\":", "x"));
  EXPECT_FALSE(parseJson("<html>", "x"));
  const auto value = parseJson("{\"a\":\"b\",\"n\":3,\"m\":-3}", "x");
  ASSERT_TRUE(value);
  EXPECT_EQ(textMember(*value, "a"), "b");
  EXPECT_EQ(countMember(*value, "n"), 3U);
  EXPECT_EQ(countMember(*value, "m"), std::nullopt);
  EXPECT_TRUE(listMember(*value, "a").empty());
}

}  // namespace
}  // namespace strata::hub
