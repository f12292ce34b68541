#include "core/text/command_words.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, AreCutAtSpaces) {
  EXPECT_EQ(commandWords("  python3\teval.py  val.npz\n"),
            (Words{"python3", "eval.py", "val.npz"}));
}

TEST(CommandWords, KeepWhatIsQuoted) {
  EXPECT_EQ(commandWords(R"(a 'b c' "d e"f '' "")"), (Words{"a", "b c", "d ef", "", ""}));
  EXPECT_EQ(commandWords(R"('a "b" \' c)"), (Words{"a \"b\" \\", "c"}));
}

TEST(CommandWords, KeepWhatFollowsABackslash) {
  EXPECT_EQ(commandWords(R"(a\ b \'c "d\"e\\f\n")"), (Words{"a b", "'c", R"(d"e\f\n)"}));
}

TEST(CommandWords, TakeNoVariablesOrGlobs) {
  EXPECT_EQ(commandWords("$HOME *.py | cat"), (Words{"$HOME", "*.py", "|", "cat"}));
}

TEST(CommandWords, RefuseWhatIsNotClosed) {
  for (const char* command : {"a 'b", "a \"b", "a \\", "", "  ", "a \"b\\"}) {
    const auto words = commandWords(command);
    ASSERT_FALSE(words) << command;
    EXPECT_EQ(words.error().code, ErrorCode::InvalidArgument) << command;
  }
}

TEST(ShellWord, IsReadBackAsItWas) {
  for (const std::string word :
       {"plain", "/a/b.c", "with space", "it's", "", "$HOME", "a\\b", "\"q\""}) {
    const auto words = commandWords("cmd " + shellWord(word));
    ASSERT_TRUE(words) << word;
    EXPECT_EQ(words->back(), word);
    EXPECT_EQ(words->size(), 2);
  }
  EXPECT_EQ(shellWord("/a/b.c"), "/a/b.c");
}

TEST(ShellPath, IsNoOption) {
  EXPECT_EQ(shellPath("-o"), "./-o");
  EXPECT_EQ(shellPath("-a b"), "'./-a b'");
  EXPECT_EQ(shellPath("a-b"), "a-b");
}

}  // namespace
}  // namespace strata
