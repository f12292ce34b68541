#include "onnx_io/utf8.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Utf8, TakesWellFormedText) {
  for (const std::string_view text :
       {"", "plain", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(isUtf8(text)) << text;
    EXPECT_EQ(toUtf8(text, 100), text);
  }
}

TEST(Utf8, RefusesOverlongCutAndSurrogateForms) {
  for (const std::string_view text :
       {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3",
        "\x80", "\xE2\x82"}) {
    EXPECT_FALSE(isUtf8(text));
  }
}

TEST(Utf8, ShowsBadBytesAsTheirNumbers) { EXPECT_EQ(toUtf8("a\xFFz", 100), "a\\xffz"); }

TEST(Utf8, CutsLongTextBetweenCharacters) {
  const std::string cut = toUtf8("\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC", 8);
  EXPECT_LE(cut.size(), 8U);
  EXPECT_TRUE(isUtf8(cut));
  EXPECT_EQ(cut, "\xC3\xBC\xC3\xBC…");
}

}  // namespace
}  // namespace strata
