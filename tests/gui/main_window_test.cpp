#include "gui/main_window.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include "gui/jobs/store_ops.h"
#include "gui/models/lineage_model.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class MainWindowTest : public WindowTest {};

TEST_F(MainWindowTest, BeginsWithTheFirstRunWhereThereIsNoStore) {
  window_.openStore({});
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  EXPECT_EQ(window_.pages().welcome().banner().text(), "");
  const QString folder = sample_.folder() + "-fresh";
  window_.pages().welcome().setFolder(folder);
  button<QPushButton>(window_.pages().welcome(), "Make an empty store")->click();
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Library; }));
  EXPECT_EQ(rowCount(), 0U);
}

TEST_F(MainWindowTest, SaysWhyAStoreDoesNotOpen) {
  window_.openStore(sample_.folder() + "-missing");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  EXPECT_TRUE(window_.pages().welcome().banner().text().contains("STRATA-E1001"));
}

TEST_F(MainWindowTest, AddsTheModelThatTheFirstRunBeginsWith) {
  window_.openStore(sample_.folder() + "-missing");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
  emit window_.pages().welcome().beginWith(
      sample_.folder() + "-new",
      QString::fromStdString(writeModel(sample_.files(), "enc.safetensors", 5)));
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Add);
  QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
  button<QPushButton>(window_.pages().add(), "Add base")->click();
  ASSERT_TRUE(added.wait(kPatienceMs));
  EXPECT_EQ(added[0][0].toString(), "enc:v1");
}

TEST_F(MainWindowTest, RemovesToTheTrashAndUndoes) {
  open();
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  EXPECT_TRUE(window_.pages().library().banner().text().contains("tuned:v2"));
  button<QPushButton>(window_.pages().library().banner(), "Undo")->click();
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
}

TEST_F(MainWindowTest, RemovesABaseInUse) {
  open();
  window_.pages().library().select("base:v1");
  press(Qt::Key_Delete);
  EXPECT_TRUE(waitFor([&] { return rowCount() == 2U; }));
}

TEST_F(MainWindowTest, OpensAVersionAndGoesBack) {
  open();
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  press(Qt::Key_Return);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Version);
  EXPECT_EQ(window_.pages().version().label(), "tuned:v2");
  QSignalSpy distribution(&window_.pages().version(), &gui::VersionPage::distributionShown);
  auto* report = gui::showJob(window_.bench().store(), "tuned:v2");
  QString tensor;
  ASSERT_EQ(run(session().queue(), report,
                [&] { tensor = gui::text(report->report().tensors.front().name); }),
            gui::Job::State::Finished);
  window_.pages().version().openTensor(tensor);
  ASSERT_TRUE(distribution.wait(kPatienceMs));
  emit window_.pages().version().back();
  EXPECT_EQ(window_.page(), Page::Library);
}

TEST_F(MainWindowTest, ComparesTheTwoSelectedVersions) {
  open();
  auto& view = window_.pages().library().view();
  view.select("tuned:v1");
  view.selectionModel()->select(window_.pages().library().model().find("tuned:v2"),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  QSignalSpy compared(&window_.pages().compare(), &gui::ComparePage::compared);
  press(Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(compared.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Compare);
}

TEST_F(MainWindowTest, RestoresWhereItSaid) {
  open();
  QSignalSpy planned(&window_.pages().restore(), &gui::RestorePage::planned);
  press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  const auto target = sample_.files() / "restored.safetensors";
  window_.pages().restore().setTarget(QString::fromStdString(target.string()));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_FALSE(std::filesystem::exists(target));
  QSignalSpy restored(&window_.pages().restore(), &gui::RestorePage::restored);
  button<QPushButton>(window_.pages().restore(), "Restore")->click();
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_TRUE(std::filesystem::exists(target));
  const auto netron = sample_.files() / "netron";
  const auto shown = sample_.files() / "shown";
  writeWhole(netron,
             "#!/bin/sh\nprintf %s \"$1\" > \"$0.tmp\"; mv \"$0.tmp\" " + shown.string() + "\n");
  std::filesystem::permissions(netron, std::filesystem::perms::owner_all);
  const QByteArray path = qgetenv("PATH");
  qputenv("PATH", QByteArray::fromStdString(sample_.files().path().string()) + ':' + path);
  click(window_.pages().restore().banner(), "Open in Netron");
  qputenv("PATH", path);
  ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(shown); }));
  EXPECT_EQ(readWhole(shown), target.string());
  click(window_.pages().restore(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("restore tuned:v2 -o "));
}

TEST_F(MainWindowTest, RefusesToRestoreOverAFileUnlessAsked) {
  open();
  const auto target = sample_.files() / "mine.safetensors";
  writeWhole(target, "mine");
  QSignalSpy planned(&window_.pages().restore(), &gui::RestorePage::planned);
  emit window_.bench().restore("tuned:v2");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  window_.pages().restore().setTarget(QString::fromStdString(target.string()));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_FALSE(window_.pages().restore().banner().text().isEmpty());
  EXPECT_FALSE(button<QPushButton>(window_.pages().restore(), "Restore")->isEnabled());
  EXPECT_EQ(readWhole(target), "mine");
}

TEST_F(MainWindowTest, ShowsAFileThatIsNoModelBesideItsCause) {
  open();
  writeWhole(sample_.files() / "notes", "no model");
  window_.showPage(Page::Add);
  QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
  window_.pages().add().begin({QString::fromStdString((sample_.files() / "notes").string())});
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  EXPECT_TRUE(window_.pages().add().banner().text().contains("STRATA-E102"));
  EXPECT_FALSE(button<QPushButton>(window_.pages().add(), "Add base")->isEnabled());
}

TEST_F(MainWindowTest, AddsSeveralDroppedModelsInTurn) {
  open();
  QMimeData dropped;
  dropped.setUrls({QUrl::fromLocalFile(
                       QString::fromStdString(writeModel(sample_.files(), "one.safetensors", 50))),
                   QUrl::fromLocalFile(QString::fromStdString(
                       writeModel(sample_.files(), "two.safetensors", 60)))});
  QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
  QDragEnterEvent enter(QPoint(600, 400), Qt::CopyAction, &dropped, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window_, &enter);
  EXPECT_TRUE(enter.isAccepted());
  EXPECT_FALSE(window_.dropOverlay().isHidden());
  QDropEvent drop(QPointF(600, 400), Qt::CopyAction, &dropped, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window_, &drop);
  for (const char* name : {"one:v1", "two:v1"}) {
    ASSERT_TRUE(waitFor([&] { return !inspected.isEmpty(); }));
    inspected.clear();
    QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
    button<QPushButton>(window_.pages().add(), "Add base")->click();
    ASSERT_TRUE(added.wait(kPatienceMs));
    EXPECT_EQ(added[0][0].toString(), name);
  }
}

TEST_F(MainWindowTest, VerifiesTheStore) {
  open();
  window_.showPage(Page::Storage);
  QSignalSpy verified(&window_.pages().storage(), &gui::StoragePage::verified);
  button<QPushButton>(window_.pages().storage(), "Verify all")->click();
  ASSERT_TRUE(verified.wait(kPatienceMs));
  EXPECT_TRUE(window_.pages().storage().banner().text().contains("sound"));
}

TEST_F(MainWindowTest, FindsSettingsForATarget) {
  open();
  gui::TunePage& page = window_.pages().tune();
  ASSERT_TRUE(waitFor([&] { return page.findChildren<QComboBox*>().front()->count() > 0; }));
  const std::string base = writeModel(sample_.files(), "a.safetensors", 30);
  gui::AddRequest add;
  add.path = QString::fromStdString(base);
  add.options.name = "enc";
  add.isBase = true;
  ASSERT_EQ(run(session().queue(), gui::addJob(window_.bench().store(), add)),
            gui::Job::State::Finished);
  emit window_.bench().tune(
      QString::fromStdString(writeTuned(sample_.files(), "b.safetensors", 30, 31)));
  EXPECT_EQ(window_.page(), Page::Tune);
  page.setTarget("size", "3kB");
  QSignalSpy ended(&page, &gui::TunePage::ended);
  page.findBest();
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_TRUE(page.banner().text().contains("rial")) << page.banner().text().toStdString();
}

TEST_F(MainWindowTest, MovesBetweenPanesByF6) {
  open();
  window_.showPage(Page::Library);
  QSet<QWidget*> seen;
  for (int i = 0; i < 5; ++i) {
    press(Qt::Key_F6);
    seen << window_.focusWidget();
  }
  EXPECT_GE(seen.size(), 4);
}

TEST_F(MainWindowTest, MovesThroughThePanesOfEveryPageByF6) {
  open();
  QSignalSpy objects(&window_.pages().storage(), &gui::StoragePage::objectsListed);
  window_.showPage(Page::Storage);
  ASSERT_TRUE(objects.wait(kPatienceMs));
  QStringList names;
  window_.pages().storage().findChild<gui::FilterEdit*>()->setFocus();
  for (int i = 0; i < 4; ++i) {
    press(Qt::Key_F6);
    names << window_.focusWidget()->accessibleName();
  }
  EXPECT_EQ(names.mid(0, 3), QStringList({"Objects", "Trash", "Places"}))
      << names.join(' ').toStdString();
  press(Qt::Key_F6, Qt::ShiftModifier);
  EXPECT_EQ(window_.focusWidget()->accessibleName(), "Places");
}

/// Every control that takes the focus must say its name to a screen reader.
TEST_F(MainWindowTest, NamesEveryControl) {
  open();
  QSignalSpy settings(&window_.pages().settings(), &gui::SettingsPage::shown);
  window_.showPage(Page::Settings);
  ASSERT_TRUE(settings.wait(kPatienceMs));
  int checked = 0;
  for (QWidget* widget : window_.findChildren<QWidget*>()) {
    const bool isInner = widget->objectName().startsWith("qt_") ||
                         qobject_cast<QScrollArea*>(widget) != nullptr ||
                         widget->inherits("QAbstractScrollAreaViewport") ||
                         widget->inherits("QTabBar") || widget->inherits("QMenuBar") ||
                         widget->inherits("QTabWidget") || widget->inherits("QHeaderView") ||
                         widget->inherits("QComboBoxListView") || widget->inherits("QToolButton") ||
                         (widget->parentWidget() != nullptr &&
                          (widget->parentWidget()->inherits("QComboBox") ||
                           widget->parentWidget()->inherits("QAbstractSpinBox")));
    if (widget->focusPolicy() == Qt::NoFocus || isInner) continue;
    QAccessibleInterface* access = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(access, nullptr);
    ++checked;
    EXPECT_FALSE(access->text(QAccessible::Name).isEmpty())
        << widget->metaObject()->className() << " in "
        << widget->parentWidget()->metaObject()->className();
  }
  EXPECT_GT(checked, 40);
}

}  // namespace
}  // namespace strata::test
