#include "core/store/refs/reference.h"

#include <gtest/gtest.h>

#include "core/text/nfc.h"

namespace strata {
namespace {

using Kind = Reference::Kind;

Reference parsed(std::string_view text) {
  const auto reference = parseReference(text);
  EXPECT_TRUE(reference) << text << ": " << (reference ? "" : reference.error().message);
  return reference.value_or(Reference{});
}

TEST(Reference, ReadsEveryForm) {
  EXPECT_EQ(parsed("sst2").kind, Kind::Newest);
  EXPECT_EQ(parsed("sst2").name, "sst2");
  EXPECT_EQ(parsed("sst2:prod").kind, Kind::Tag);
  EXPECT_EQ(parsed("sst2:prod").tag, "prod");
  EXPECT_EQ(parsed("sst2:v12").kind, Kind::Number);
  EXPECT_EQ(parsed("sst2:v12").number, 12U);
  EXPECT_EQ(parsed("sst2~3").kind, Kind::Back);
  EXPECT_EQ(parsed("sst2~3").number, 3U);
  EXPECT_EQ(parsed("sst2~").number, 1U);
  EXPECT_EQ(parsed("@7C1f").kind, Kind::Hash);
  EXPECT_EQ(parsed("@7C1f").hash, "7c1f");
  EXPECT_EQ(parsed("sst2:vanilla").kind, Kind::Tag);
  EXPECT_EQ(parsed("sst2:v").kind, Kind::Tag);
}

TEST(Reference, RefusesWhatIsMalformed) {
  for (const char* text :
       {"", ":v1", "sst2:", "sst2:v0", "sst2:v99999999999", "sst2~x", "sst2~-1", "@7c1", "@xyzw",
        "../sst2", "a//b", "a b", "sst2:a/b", "sst2:..", "-rf", ".hidden", "sst2:v1:prod"}) {
    const auto reference = parseReference(text);
    ASSERT_FALSE(reference) << text;
    EXPECT_EQ(reference.error().code, ErrorCode::InvalidArgument) << text;
  }
}

TEST(Names, FollowTheRule) {
  for (const char* name : {"a", "sst2", "A.b_c-9", "v1", "0", "org/model", "a/b/c", "na\xC3\xAFve",
                           "org/\xE6\xA8\xA1\xE5\x9E\x8B", "\xED\x95\x9C\xEA\xB8\x80"}) {
    EXPECT_TRUE(checkName(name)) << name;
  }
  EXPECT_TRUE(checkName(std::string(100, 'x')));
  const std::string tooLong(300, 'x');
  for (const std::string_view name : {std::string_view(""),
                                      std::string_view("a//b"),
                                      std::string_view("../x"),
                                      std::string_view("a/"),
                                      std::string_view("a/../b"),
                                      std::string_view("a/.b"),
                                      std::string_view("a/-b"),
                                      std::string_view("a:b"),
                                      std::string_view("a%2Fb"),
                                      std::string_view("a\xE2\x80\xAE"
                                                       "b"),
                                      std::string_view("a\xC2\xA0"
                                                       "b"),
                                      std::string_view("\xE2\x84\xAB"),
                                      std::string_view("nai\xCC\x88ve"),
                                      std::string_view("/abs"),
                                      std::string_view(".x"),
                                      std::string_view("-x"),
                                      std::string_view("a\\b"),
                                      std::string_view("\xFF\xFE"),
                                      std::string_view("a\0b", 3),
                                      std::string_view(tooLong)}) {
    const auto checked = checkName(name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, ErrorCode::InvalidArgument);
  }
  EXPECT_NE(checkName(tooLong).error().message.find("300"), std::string::npos);
  EXPECT_NE(checkName("nai\xCC\x88ve").error().message.find("na\xC3\xAFve"), std::string::npos);
  EXPECT_FALSE(checkTag("org/prod"));
  EXPECT_FALSE(checkPlainName("org/hub"));
  EXPECT_FALSE(checkPlainName("na\xC3\xAFve"));
  EXPECT_FALSE(checkTag("v3"));
  EXPECT_TRUE(checkTag("v3-final"));
}

TEST(Names, HaveOneKeyEach) {
  for (const char* name : {"sst2", "org/model", "a/b/c", "na\xC3\xAFve"}) {
    const std::string key = nameKey(name);
    EXPECT_EQ(key.find('/'), std::string::npos);
    EXPECT_EQ(nameOfKey(key), name);
  }
  EXPECT_EQ(nameKey("org/model"), "org%2Fmodel");
  for (const char* key : {"", "org%2fmodel", "org%2F", "org/model", "%2Fmodel", "a%20b", ".x"}) {
    EXPECT_EQ(nameOfKey(key), std::nullopt) << key;
  }
}

TEST(Names, AreComposedAsNfcIs) {
  EXPECT_EQ(composedText("plain"), "plain");
  EXPECT_EQ(composedText("e\xCC\x81"), "\xC3\xA9");
  EXPECT_EQ(composedText("a\xCC\x82\xCC\x81"), "\xE1\xBA\xA5");  // two marks, one after the other
  EXPECT_EQ(composedText("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), "\xED\x95\x9C");
  EXPECT_EQ(composedText("x\xCC\x81"), "x\xCC\x81");  // there is no such letter
  EXPECT_TRUE(hasForeignToNfc("\xE2\x84\xAB"));
  EXPECT_FALSE(hasForeignToNfc("\xC3\x85"));
}

TEST(Texts, AreUtf8) {
  EXPECT_TRUE(checkText("note", "lr 2e-5, \xC3\xA9poque 3, \xF0\x9F\x8E\x89"));
  for (const std::string_view text :
       {std::string_view("\xC3"), std::string_view("\x80"), std::string_view("\xC0\x80"),
        std::string_view("\xED\xA0\x80"), std::string_view("\xF4\x90\x80\x80"),
        std::string_view("a\0b", 3)}) {
    EXPECT_FALSE(checkText("note", text));
  }
  EXPECT_FALSE(checkText("note", std::string(10'001, 'x')));
}

}  // namespace
}  // namespace strata
