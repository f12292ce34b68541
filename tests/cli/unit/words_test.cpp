#include <gtest/gtest.h>

#include <set>

#include "cli/terminal.h"
#include "cli/views/time_text.h"
#include "cli/words/command.h"
#include "cli/words/help.h"
#include "core/exit_code.h"
#include "core/text/error_number.h"
#include "core/text/model_endings.h"
#include "core/text/suggest.h"

namespace strata::cli {
namespace {

TEST(ModelEndings, AreTakenOffOnce) {
  EXPECT_EQ(withoutModelEnding("x.bin.safetensors"), "x.bin");
  EXPECT_EQ(withoutModelEnding("model.safetensors.index.json"), "model");
  EXPECT_EQ(withoutModelEnding("notes.txt"), "notes.txt");
}

TEST(Suggest, FindsTypingErrorsOnly) {
  const std::vector<std::string> known{"restore", "remove", "list", "add"};
  EXPECT_EQ(nearest("restor", known), "restore");
  EXPECT_EQ(nearest("lsit", known), "list");
  EXPECT_EQ(nearest("rem", known), "remove");
  EXPECT_EQ(nearest("xyzzy", known), "");
  EXPECT_EQ(nearest("zz", known), "");
  EXPECT_EQ(didYouMean("ad", known), ". Did you mean \"add\"?");
}

TEST(Printable, LeavesNoControlCharacter) {
  EXPECT_EQ(printable("a\x1b[31mb\n\r\x7f"), "a?[31mb???");
  EXPECT_EQ(printable("\xc2\x9b[2J"), "?[2J");
  EXPECT_EQ(printable("caf\xc3\xa9 \xff"), "caf\xc3\xa9 ?");
  EXPECT_EQ(printable("\xe2\x82"), "??");
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80"), "?????");  // overlong; half of a pair
}

TEST(Printable, ShowsWhatNobodyWouldSee) {
  EXPECT_EQ(printable("exe.\u202Egnp"), "exe.<U+202E>gnp");
  EXPECT_EQ(printable("a\u2028b\u2029c\u200Bd\uFEFF"), "a<U+2028>b<U+2029>c<U+200B>d<U+FEFF>");
  EXPECT_EQ(printable("\u2066x\u2069\u061C\u00AD"), "<U+2066>x<U+2069><U+061C><U+00AD>");
  EXPECT_EQ(printable("\U000E0041"), "<U+E0041>");
  for (const char* text : {"na\u00EFve", "\u65E5\u672C", "\U0001F600", "\u05E9\u05DC"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, KeepsLinesWhereTheyAreWanted) {
  EXPECT_EQ(printable("a\n\tb\r\x1b", Lines::Kept), "a\n\tb??");
}

TEST(Elided, ShortensInTheMiddle) {
  EXPECT_EQ(elided("layer.10.attention.weight", 13), "layer...eight");
  EXPECT_EQ(elided("short", 13), "short");
  EXPECT_EQ(columnsOf(elided("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 6)), 6U);
}

TEST(Moment, ReadsDatesAndAges) {
  constexpr std::int64_t kNow = 1'000'000'000;
  EXPECT_EQ(parseMoment("2d", kNow), kNow - 2 * 86'400);
  EXPECT_EQ(parseMoment("2026-03-09T13:02:11Z", kNow), 1'773'061'331);
  for (const char* text : {"", "yesterday", "-3d", "2026-03", "5y", "2026-03-09x"}) {
    const auto moment = parseMoment(text, kNow);
    ASSERT_FALSE(moment) << text;
    EXPECT_EQ(moment.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(ExitCodes, AreTheDigitsThatErrorNumbersBeginWith) {
  std::set<std::string_view> numbers;
  for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code) {
    const auto error = static_cast<ErrorCode>(code);
    const std::string exit = std::to_string(static_cast<int>(exitCode(error)));
    const std::string expected = "STRATA-E" + exit;
    EXPECT_TRUE(errorNumber(error).starts_with(expected)) << errorNumber(error);
    EXPECT_EQ(errorNumber(error).size(), expected.size() + 2);
    EXPECT_TRUE(numbers.insert(errorNumber(error)).second) << errorNumber(error);
  }
}

TEST(ProgramHelp, FitsAScreenAndNamesEveryCommand) {
  const std::string help = programHelp();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24);
  std::size_t from = 0;
  while (from < help.size()) {
    const std::size_t end = help.find('\n', from);
    EXPECT_LE(end - from, 80U) << help.substr(from, end - from);
    from = end + 1;
  }
  for (const std::string& word : commandWords()) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

TEST(EveryCommand, ExplainsItselfWithAnExample) {
  for (const CommandRow& row : allCommands()) {
    const CommandInfo info = row.make()->info();
    EXPECT_TRUE(info.usage.starts_with(row.name)) << row.name;
    EXPECT_TRUE(info.summary.ends_with(".")) << row.name;
    ASSERT_FALSE(info.examples.empty()) << row.name;
    Arguments arguments;
    const auto command = row.make();
    command->declare(arguments);
    for (const Argument& argument : arguments.all()) {
      EXPECT_FALSE(argument.help.empty()) << row.name << " " << argument.spelling;
    }
  }
}

}  // namespace
}  // namespace strata::cli
