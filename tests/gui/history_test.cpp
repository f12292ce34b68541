// What was done can be taken back, whatever program did it: menu, banner and the page of the log.
// What changes stored versions: prune, recode, notes.
#include <gtest/gtest.h>

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSemaphore>
#include <QSpinBox>

#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/restore_version.h"
#include "core/ops/versions/trash.h"
#include "gui/models/wording.h"
#include "gui/pages/history_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/note_dialog.h"
#include "gui/widgets/dialogs/prune_dialog.h"
#include "gui/widgets/dialogs/recode_dialog.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class HistoryTest : public WindowTest {
 protected:
  /// The text of the entry of a menu that begins so, without the mark of its key.
  QAction* entry(const QString& beginning) {
    for (QAction* menu : window_.menuBar()->actions()) {
      for (QAction* action : menu->menu()->actions()) {
        if (action->text().remove(u'&').startsWith(beginning)) return action;
      }
    }
    ADD_FAILURE() << "no entry " << beginning.toStdString();
    return nullptr;
  }
  QString undoText() { return entry("Undo")->text().remove(u'&'); }
  QString redoText() { return entry("Redo")->text().remove(u'&'); }
  /// By the menu: after a dialog no window has the keys where none manages windows.
  void undo() { entry("Undo")->trigger(); }
  void redo() { entry("Redo")->trigger(); }
  /// Waits until undo is about this.
  bool isUndo(const QString& what) {
    return waitFor([&] { return undoText() == "Undo " + what; });
  }
  const ListRow* row(const QString& label) {
    for (const ListRow& one : session().snapshot()->rows) {
      if (gui::labelText(one.version) == label) return &one;
    }
    return nullptr;
  }
  bool isListed(const QString& label) {
    return waitFor([&] { return row(label) != nullptr; });
  }
  bool isGone(const QString& label) {
    return waitFor([&] { return row(label) == nullptr; });
  }
  QString told() { return window_.pages().library().banner().text(); }

  template <typename Dialog>
  Dialog* opened(const QString& action) {
    entry(action)->trigger();
    QCoreApplication::processEvents();
    auto* dialog = window_.findChild<Dialog*>();
    EXPECT_NE(dialog, nullptr);
    return dialog;
  }
  /// As another program has it.
  std::unique_ptr<Store> otherStore() {
    auto store = Store::open(sample_.path());
    EXPECT_TRUE(store);
    return *std::move(store);
  }
  std::string restored(const char* reference, const char* file) {
    const auto target = sample_.files() / file;
    RestoreOptions options;
    options.reference = reference;
    options.target = target;
    EXPECT_TRUE(restoreVersion(*otherStore(), options, {}, {}));
    return readWhole(target);
  }
};

TEST_F(HistoryTest, NamesInTheMenuWhatItUndoes) {
  open();
  EXPECT_EQ(undoText(), "Undo add of tuned:v2");
  EXPECT_EQ(redoText(), "Redo");
  EXPECT_FALSE(entry("Redo")->isEnabled());
  press(Qt::Key_Delete);
  ASSERT_TRUE(isUndo("remove of tuned:v2"));
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(isListed("tuned:v2"));
  ASSERT_TRUE(isUndo("add of tuned:v2"));
  EXPECT_EQ(redoText(), "Redo remove of tuned:v2");
  EXPECT_TRUE(told().contains("Took back: remove of tuned:v2")) << told().toStdString();
  redo();
  ASSERT_TRUE(isGone("tuned:v2"));
  ASSERT_TRUE(isUndo("remove of tuned:v2"));
  EXPECT_FALSE(entry("Redo")->isEnabled());
}

TEST_F(HistoryTest, UndoesWhatAnotherProgramDid) {
  open();
  sample_.add("other", 9);
  ASSERT_TRUE(isUndo("add of other:v1"));
  undo();
  ASSERT_TRUE(isGone("other:v1"));
  ASSERT_TRUE(isUndo("add of tuned:v2"));
  // Undo twice goes back two steps.
  undo();
  ASSERT_TRUE(isGone("tuned:v2"));
  ASSERT_TRUE(waitFor([&] { return redoText() == "Redo add of tuned:v2"; }));
  redo();
  ASSERT_TRUE(isListed("tuned:v2"));
  ASSERT_TRUE(waitFor([&] { return redoText() == "Redo add of other:v1"; }));
}

TEST_F(HistoryTest, TakesBackBesideTheResultWhatThatSays) {
  open();
  press(Qt::Key_Delete);
  ASSERT_TRUE(isGone("tuned:v2"));
  ASSERT_TRUE(waitFor([&] { return told().contains("Moved tuned:v2 to the trash"); }));
  sample_.add("other", 9);  // by another program meanwhile
  ASSERT_TRUE(isUndo("add of other:v1"));
  click(window_.pages().library().banner(), "Undo");
  ASSERT_TRUE(isListed("tuned:v2"));
  EXPECT_NE(row("other:v1"), nullptr);
  click(window_.pages().library().banner(), "Redo");
  ASSERT_TRUE(isGone("tuned:v2"));
}

TEST_F(HistoryTest, SaysWhyItCannotUndo) {
  open();
  press(Qt::Key_Delete);
  ASSERT_TRUE(isUndo("remove of tuned:v2"));
  ASSERT_TRUE(emptyTrash(*otherStore(), {}));
  undo();
  ASSERT_TRUE(waitFor([&] { return told().contains("Could not be taken back"); }))
      << told().toStdString();
  EXPECT_TRUE(told().contains("remove of tuned:v2"));
  click(window_.pages().library().banner(), "History");
  EXPECT_EQ(window_.page(), Page::History);
}

TEST_F(HistoryTest, FollowsTheNameOfWhatIsShown) {
  open();
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  press(Qt::Key_Return);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  auto* dialog = opened<gui::RenameDialog>("Rename");
  type(*dialog, "New name", "better");
  click(*dialog, "Rename");
  ASSERT_TRUE(waitFor([&] { return window_.pages().version().label() == "better:v2"; }));
  ASSERT_TRUE(isUndo("rename of tuned to better"));
  undo();
  ASSERT_TRUE(waitFor([&] { return window_.pages().version().label() == "tuned:v2"; }));
  EXPECT_EQ(window_.page(), Page::Version);
  ASSERT_TRUE(isListed("tuned:v2"));
  redo();
  ASSERT_TRUE(isListed("better:v2"));
}

TEST_F(HistoryTest, ListsWhatWasDoneAndTakesAnyOfItBack) {
  open();
  ASSERT_TRUE(removeVersions(*otherStore(), {.references = {"tuned:v1"}}));
  sample_.add("other", 9);
  ASSERT_TRUE(isListed("other:v1"));
  gui::HistoryPage& page = window_.pages().history();
  QSignalSpy listed(&page, &gui::HistoryPage::listed);
  press(Qt::Key_5, Qt::AltModifier);
  ASSERT_EQ(window_.page(), Page::History);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  auto* view = table(page, "Operations");
  const auto cell = [&](int row, int column) {
    return view->model()->index(row, column).data().toString();
  };
  ASSERT_EQ(view->model()->rowCount(), 5);
  EXPECT_EQ(cell(0, 2) + ' ' + cell(0, 3), "add other:v1");
  EXPECT_EQ(cell(1, 2) + ' ' + cell(1, 3), "remove tuned:v1");
  EXPECT_FALSE(button(page, "Take back")->isEnabled());
  QSignalSpy tried(&page, &gui::HistoryPage::tried);
  view->selectRow(1);
  ASSERT_TRUE(tried.wait(kPatienceMs));
  const auto* details = page.findChild<QPlainTextEdit*>();
  EXPECT_EQ(details->toPlainText(), "tuned:v1: to the trash");
  click(page, "Copy as command");
  click(page, "Take back");
  ASSERT_TRUE(isListed("tuned:v1"));
  ASSERT_TRUE(waitFor([&] { return view->model()->rowCount() == 6; }));
  EXPECT_NE(row("other:v1"), nullptr) << "what was done since stays";
  EXPECT_TRUE(page.banner().text().contains("tuned:v1: out of the trash"));
  // The same row is chosen still, and can be done again.
  ASSERT_TRUE(waitFor([&] { return cell(2, 4) == "taken back"; }));
  ASSERT_TRUE(waitFor([&] { return button(page, "Do again")->isEnabled(); }));
  EXPECT_FALSE(button(page, "Take back")->isEnabled());
  click(page, "Do again");
  ASSERT_TRUE(isGone("tuned:v1"));
  // What was done is no more to be taken back once it is gone for good.
  ASSERT_TRUE(emptyTrash(*otherStore(), {}));
  ASSERT_TRUE(waitFor([&] { return cell(0, 2) == "trash empty"; }));
  ASSERT_TRUE(waitFor([&] { return details->toPlainText().contains("deleted for good"); }))
      << details->toPlainText().toStdString();
  EXPECT_FALSE(button(page, "Take back")->isEnabled());
}

TEST_F(HistoryTest, PrunesWhatThePlanSaysAndTakesItBack) {
  sample_.add("tuned", 3);
  sample_.add("tuned", 4);
  open();
  auto* dialog = opened<gui::PruneDialog>("Prune versions");
  ASSERT_NE(dialog, nullptr);
  QSignalSpy planned(dialog, &gui::PruneDialog::planned);
  EXPECT_EQ(edit(*dialog, "Names")->text(), "tuned");
  for (auto* box : dialog->findChildren<QSpinBox*>()) {
    if (box->accessibleName() == "How many of the newest stay") box->setValue(1);
  }
  auto* view = table(*dialog, "What goes and what stays");
  const auto plan = [&](int row) { return view->model()->index(row, 1).data().toString(); };
  ASSERT_TRUE(waitFor([&] { return view->model()->rowCount() == 4 && plan(1) == "goes"; }));
  EXPECT_EQ(plan(0), "stays");
  EXPECT_EQ(plan(3), "goes");
  // A version that another program adds is in the plan before it is carried out.
  sample_.add("tuned", 5);
  ASSERT_TRUE(waitFor([&] { return view->model()->rowCount() == 5; }));
  ASSERT_TRUE(waitFor([&] { return button(*dialog, "Move to the trash")->isEnabled(); }));
  bool isTold = false;
  for (const auto* label : dialog->findChildren<QLabel*>()) {
    isTold = isTold || label->text().contains("Would move 4 versions of 5 to the trash");
  }
  EXPECT_TRUE(isTold);
  EXPECT_EQ(rowCount(), 6U) << "nothing was done yet";
  click(*dialog, "Move to the trash");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  EXPECT_NE(row("tuned:v5"), nullptr);
  ASSERT_TRUE(isUndo("prune of tuned:v4, tuned:v3 and 2 more")) << undoText().toStdString();
  undo();
  ASSERT_TRUE(waitFor([&] { return rowCount() == 6; }));
}

TEST_F(HistoryTest, PrunesNothingWithoutARule) {
  open();
  auto* dialog = opened<gui::PruneDialog>("Prune versions");
  for (auto* box : dialog->findChildren<QCheckBox*>()) box->setChecked(false);
  ASSERT_TRUE(waitFor([&] {
    for (const auto* label : dialog->findChildren<QLabel*>()) {
      if (label->text().contains("at least one rule")) return true;
    }
    return false;
  }));
  EXPECT_FALSE(button(*dialog, "Move to the trash")->isEnabled());
  dialog->close();
}

TEST_F(HistoryTest, RecodesAVersionThatRestoresToTheSameBytes) {
  open();
  const std::string before = restored("tuned:v2", "before.safetensors");
  auto* dialog = opened<gui::RecodeDialog>("Recode");
  ASSERT_NE(dialog, nullptr);
  QSignalSpy tried(dialog, &gui::RecodeDialog::tried);
  auto* base = box(*dialog, "A difference to");
  base->setCurrentIndex(2);  // in full
  click(*dialog, "Try");
  ASSERT_TRUE(tried.wait(kPatienceMs));
  bool isTold = false;
  for (const auto* label : dialog->findChildren<QLabel*>()) {
    isTold = isTold || label->text().contains("would take");
  }
  EXPECT_TRUE(isTold);
  EXPECT_EQ(row("tuned:v2")->baseLabel, "base:v1") << "a try writes nothing";
  click(*dialog, "Recode");
  ASSERT_TRUE(waitFor([&] { return row("tuned:v2")->version.isBase(); }));
  EXPECT_TRUE(waitFor([&] { return told().contains("tuned:v2 takes"); })) << told().toStdString();
  EXPECT_EQ(restored("tuned:v2", "after.safetensors"), before);
  EXPECT_EQ(undoText(), "Undo recode of tuned:v2");
}

TEST_F(HistoryTest, LeavesAVersionThatWouldBecomeLargerUnlessToldOtherwise) {
  open();
  auto* dialog = opened<gui::RecodeDialog>("Recode");
  box(*dialog, "A difference to")->setCurrentIndex(2);
  for (auto* force : dialog->findChildren<QCheckBox*>()) force->setChecked(false);
  click(*dialog, "Recode");
  ASSERT_TRUE(waitFor([&] { return told().contains("stays as it is"); })) << told().toStdString();
  EXPECT_FALSE(row("tuned:v2")->version.isBase());
  click(window_.pages().library().banner(), "Recode all the same");
  ASSERT_TRUE(waitFor([&] { return row("tuned:v2")->version.isBase(); }));
}

TEST_F(HistoryTest, EditsANoteBesideARunningAdd) {
  open();
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  press(Qt::Key_Return);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  QSemaphore mayEnd;
  auto* add = new gui::OpJob<bool>("Adding", "failed", [&mayEnd](auto&&...) -> Result<bool> {
    mayEnd.acquire();
    return true;
  });
  window_.bench().write(add);
  press(Qt::Key_E, Qt::ControlModifier);
  auto* dialog = window_.findChild<gui::NoteDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_FALSE(button(*dialog, "Save")->isEnabled());
  auto* text = dialog->findChild<QPlainTextEdit*>();
  text->setPlainText(QString(10'001, u'x'));
  EXPECT_FALSE(button(*dialog, "Save")->isEnabled()) << "longer than a note may be";
  text->setPlainText("passed review\nby mk");
  click(*dialog, "Save");
  ASSERT_TRUE(waitFor([&] { return row("tuned:v2")->version.note == "passed review\nby mk"; }));
  EXPECT_TRUE(session().queue().isBusy()) << "the add runs still";
  const auto showsNote = [&](const QString& note) {
    return waitFor([&] {
      for (const auto* label : window_.pages().version().findChildren<QLabel*>()) {
        if (label->accessibleName() == "Note" && label->text() == note) return true;
      }
      return false;
    });
  };
  EXPECT_TRUE(showsNote("passed review\nby mk")) << "the page follows";
  EXPECT_EQ(window_.page(), Page::Version);
  ASSERT_TRUE(isUndo("note of tuned:v2"));
  undo();
  EXPECT_TRUE(showsNote("-"));
  ASSERT_TRUE(editNote(*otherStore(), {.reference = "tuned:v2", .text = "from elsewhere"}));
  EXPECT_TRUE(showsNote("from elsewhere"));
  mayEnd.release();
  ASSERT_TRUE(waitFor([&] { return !session().queue().isBusy(); }));
}

}  // namespace
}  // namespace strata::test
