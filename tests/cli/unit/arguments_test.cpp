#include "cli/words/arguments.h"

#include <gtest/gtest.h>

namespace strata::cli {
namespace {

/// A command line with one of each kind.
struct Sample {
  bool json = false;
  int verbosity = 0;
  std::string reference;
  std::string output;
  std::optional<std::uint64_t> limit;
  std::vector<std::string> globs;
  int verify = 0;
  Arguments global;
  Arguments own;

  Sample() {
    global.add({.spelling = "--json", .target = &json});
    global.add({.spelling = "-v,--verbose", .target = &verbosity});
    own.add({.spelling = "REF", .target = &reference, .isRequired = true});
    own.add({.spelling = "-o,--output", .target = &output, .value = "FILE"});
    own.add({.spelling = "--limit", .target = &limit, .value = "N"});
    own.add({.spelling = "--tensor", .target = &globs, .value = "GLOB"});
    own.add({.spelling = "--verify,!--no-verify", .target = &verify});
  }

  Result<void> parse(std::vector<std::string> words) {
    return parseArguments(global, own, std::move(words));
  }
  std::string refusal(std::vector<std::string> words) {
    const auto parsed = parse(std::move(words));
    return parsed ? "accepted" : parsed.error().message;
  }
};

TEST(Arguments, TakeOptionsInAnyPlace) {
  Sample sample;
  ASSERT_TRUE(sample.parse({"--json", "-o", "out", "ref", "-vv", "--limit=7", "--no-verify"}));
  EXPECT_TRUE(sample.json);
  EXPECT_EQ(sample.verbosity, 2);
  EXPECT_EQ(sample.reference, "ref");
  EXPECT_EQ(sample.output, "out");
  EXPECT_EQ(sample.limit, 7U);
  EXPECT_LT(sample.verify, 0);
}

TEST(Arguments, CollectRepeatedOptionsWithoutEatingPositionals) {
  Sample sample;
  ASSERT_TRUE(sample.parse({"--tensor", "a*", "ref", "--tensor", "b*"}));
  EXPECT_EQ(sample.globs, (std::vector<std::string>{"a*", "b*"}));
  EXPECT_EQ(sample.reference, "ref");
}

TEST(Arguments, KeepEmptyValues) {
  Sample sample;
  ASSERT_TRUE(sample.parse({"--output=", "ref"}));
  EXPECT_EQ(sample.output, "");
  EXPECT_EQ(sample.reference, "ref");
}

TEST(Arguments, TakeEverythingAfterTwoDashesAsIs) {
  Sample sample;
  ASSERT_TRUE(sample.parse({"--", "--json"}));
  EXPECT_EQ(sample.reference, "--json");
  EXPECT_FALSE(sample.json);
}

TEST(Arguments, TakeADashAsAValue) {
  Sample sample;
  ASSERT_TRUE(sample.parse({"ref", "-o", "-"}));
  EXPECT_EQ(sample.output, "-");
}

TEST(Arguments, SayWhatIsWrong) {
  Sample sample;
  EXPECT_EQ(sample.refusal({}), "REF is missing");
  EXPECT_EQ(sample.refusal({"ref", "more"}), "unexpected argument \"more\"");
  EXPECT_EQ(sample.refusal({"ref", "--limt", "3"}),
            "unknown option \"--limt\". Did you mean \"--limit\"?");
  EXPECT_EQ(sample.refusal({"ref", "--limit", "-3"}), "--limit: \"-3\" is not a whole number");
  EXPECT_EQ(sample.refusal({"ref", "-o"}), "--output: a value is missing");
}

TEST(Arguments, KnowWhichWordsTakeTheNextOne) {
  const Sample sample;
  EXPECT_TRUE(takesNextWord(sample.own, "-o"));
  EXPECT_TRUE(takesNextWord(sample.own, "--output"));
  EXPECT_FALSE(takesNextWord(sample.own, "--output=x"));
  EXPECT_FALSE(takesNextWord(sample.own, "-ox"));
  EXPECT_FALSE(takesNextWord(sample.own, "--no-verify"));
  EXPECT_FALSE(takesNextWord(sample.own, "-"));
}

}  // namespace
}  // namespace strata::cli
