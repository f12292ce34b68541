#include <gtest/gtest.h>

#include "core/text/error_number.h"
#include "gui/models/command_text.h"
#include "gui/models/problem_text.h"
#include "gui/models/wording.h"

namespace strata::test {
namespace {

using gui::CommandText;
using gui::shellQuoted;

TEST(CommandText, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shellQuoted("sst2:v1"), "sst2:v1");
  EXPECT_EQ(shellQuoted("my model.onnx"), "'my model.onnx'");
  EXPECT_EQ(shellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shellQuoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shellQuoted("~x"), "'~x'");
  EXPECT_EQ(shellQuoted(QString()), "''");
  EXPECT_EQ(shellQuoted(QString::fromUtf8("mod\u00e8le")), QString::fromUtf8("'mod\u00e8le'"));
}

TEST(CommandText, LeavesOutWhatIsNotSet) {
  EXPECT_EQ(CommandText("/a b", "add")
                .word("sst2")
                .option("--tag", "")
                .option("-m", "3 epochs")
                .flag("--force", false)
                .flag("-n", true)
                .text(),
            "strata -C '/a b' add sst2 -m '3 epochs' -n");
  EXPECT_EQ(CommandText({}, "list").text(), "strata list");
}

TEST(Problem, SaysWhatWhyAndWhatToDo) {
  const gui::Problem problem = gui::problemFrom(
      "sst2:v1 could not be restored", Error{ErrorCode::CorruptData, "pack 91de07 is damaged"});
  EXPECT_EQ(problem.number, "STRATA-E601");
  EXPECT_FALSE(problem.advice.isEmpty());
  for (const char* part : {"sst2:v1 could not", "pack 91de07", "STRATA-E601"}) {
    EXPECT_TRUE(problem.report().contains(part)) << part;
  }
  const auto remedyFor = [](ErrorCode code) { return gui::problemFrom("x", {code, "y"}).remedy; };
  EXPECT_EQ(problem.remedy, gui::Remedy::VerifyStore);
  EXPECT_EQ(remedyFor(ErrorCode::LoginRequired), gui::Remedy::LogIn);
  EXPECT_EQ(remedyFor(ErrorCode::NoSpace), gui::Remedy::FreeSpace);
  EXPECT_EQ(remedyFor(ErrorCode::InvalidArgument), gui::Remedy::None);
  const gui::Problem foreign = problem.ofForeignData("get it again");
  EXPECT_EQ(foreign.advice, "get it again");
  EXPECT_EQ(foreign.remedy, gui::Remedy::None);
  EXPECT_EQ(foreign.why, problem.why);
}

TEST(Wording, SaysFidelityAndTagsInShort) {
  VersionEntry version;
  EXPECT_EQ(gui::fidelityText(version), "exact");
  version.lossy = true;
  version.profile = "balanced";
  EXPECT_EQ(gui::fidelityText(version), "lossy (balanced)");
  EXPECT_EQ(gui::tagsText({}), "");
  EXPECT_EQ(gui::tagsText({"a"}), "a");
  EXPECT_EQ(gui::tagsText({"a", "b", "c"}), "a +2");
  EXPECT_EQ(gui::dateText(0), "");
}

}  // namespace
}  // namespace strata::test
