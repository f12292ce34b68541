// Changes of names and tags: by keys, and by the command line while the window is open.
#include <gtest/gtest.h>

#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "gui/widgets/dialogs/tag_dialog.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class LibraryChangesTest : public WindowTest {};

TEST_F(LibraryChangesTest, FollowsWhatTheCommandLineDoes) {
  open();
  sample_.add("other", 9);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  ASSERT_TRUE(addTag(**other, {.reference = "other:v1", .tag = "prod"}));
  ASSERT_TRUE(waitFor([&] {
    for (const ListRow& row : session().snapshot()->rows) {
      if (row.version.name == "other") return row.version.tags == std::vector<std::string>{"prod"};
    }
    return false;
  }));
  // What was selected stays so.
  EXPECT_EQ(window_.pages().library().selection(), QStringList{"tuned:v2"});
}

TEST_F(LibraryChangesTest, TagsAndMovesATag) {
  open();
  press(Qt::Key_T, Qt::ControlModifier);
  auto* dialog = window_.findChild<gui::TagDialog*>();
  ASSERT_NE(dialog, nullptr);
  type(*dialog, "Tag", "prod");
  press(Qt::Key_Return);
  QTest::keyClick(edit(*dialog, "Tag"), Qt::Key_Return);
  const auto tagsOf = [&](std::uint32_t number) {
    for (const ListRow& row : session().snapshot()->rows) {
      if (row.version.name == "tuned" && row.version.number == number) return row.version.tags;
    }
    return std::vector<std::string>{};
  };
  ASSERT_TRUE(waitFor([&] { return tagsOf(2).size() == 1; }));
  EXPECT_EQ(tagsOf(2).front(), "prod");
}

TEST_F(LibraryChangesTest, RenamesWithF2AndTakesItBack) {
  open();
  press(Qt::Key_F2);
  auto* dialog = window_.findChild<gui::RenameDialog*>();
  ASSERT_NE(dialog, nullptr);
  edit(*dialog, "New name")->selectAll();
  type(*dialog, "New name", "tone");
  QTest::keyClick(edit(*dialog, "New name"), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] {
    return window_.pages().library().selection() == QStringList{QStringLiteral("tone:v2")};
  }));
  EXPECT_TRUE(session().store()->resolve("tone:v1"));
  EXPECT_FALSE(session().store()->resolve("tuned"));
  button(window_.pages().library(), "Undo")->click();
  ASSERT_TRUE(waitFor([&] {
    return window_.pages().library().selection() == QStringList{QStringLiteral("tuned:v2")};
  }));
  EXPECT_FALSE(session().store()->resolve("tone"));
}

TEST_F(LibraryChangesTest, SaysWhyANameCannotBeGiven) {
  open();
  ASSERT_TRUE(removeVersions(*session().store(), {.references = {"tuned:v1"}}));
  ASSERT_TRUE(renameVersions(*session().store(), {.name = "tuned", .newName = "tone"}));
  ASSERT_TRUE(removeVersions(*session().store(), {.references = {"tone"}}));
  ASSERT_TRUE(waitFor([&] { return rowCount() == 1; }));
  window_.pages().library().select("base:v1");
  press(Qt::Key_F2);
  auto* dialog = window_.findChild<gui::RenameDialog*>();
  edit(*dialog, "New name")->selectAll();
  type(*dialog, "New name", "tone");
  QTest::keyClick(edit(*dialog, "New name"), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return window_.pages().library().banner().isVisible(); }));
  EXPECT_TRUE(window_.pages().library().banner().text().contains("versions in the trash: v1, v2"))
      << window_.pages().library().banner().text().toStdString();
}

}  // namespace
}  // namespace strata::test
