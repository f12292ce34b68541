// The command that a page copies does what its button does: it is run, and what came of it is
// compared with what the window shows.
#include <gtest/gtest.h>

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QProcess>
#include <QSlider>

#include "gui/charts/trade_off_chart.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class CommandsTest : public WindowTest {
 protected:
  struct Ran {
    int exitCode = -1;
    QString out;
    QString words;  ///< on stderr

    QJsonObject json() const {
      const QByteArray last = out.trimmed().split(u'\n').back().toUtf8();
      return QJsonDocument::fromJson(last).object();
    }
  };

  /// Runs what is on the clipboard in a shell, with the program that was built.
  static Ran run(const QString& more = {}) {
    const QString command = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(command.startsWith("strata ")) << command.toStdString();
    QProcess shell;
    shell.start("/bin/sh", {"-c", "'" STRATA_PROGRAM "'" + command.mid(6) + u' ' + more});
    EXPECT_TRUE(shell.waitForFinished(kPatienceMs));
    return {shell.exitCode(), QString::fromUtf8(shell.readAllStandardOutput()),
            QString::fromUtf8(shell.readAllStandardError())};
  }
  void addBase() {
    gui::AddRequest base;
    base.path = modelFile("a.safetensors", 30);
    base.options.name = "enc";
    base.isBase = true;
    ASSERT_EQ(test::run(session().queue(), gui::addJob(window_.bench().store(), base)),
              gui::Job::State::Finished);
  }
  bool lists(const QString& label) {
    for (const ListRow& row : session().snapshot()->rows) {
      if (gui::labelText(row.version) == label) return true;
    }
    return false;
  }
};

TEST_F(CommandsTest, AddStoresTheVersionAndTheWindowFollows) {
  open();
  addBase();
  QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
  window_.showPage(Page::Add);
  window_.pages().add().begin({tunedFile("a task.safetensors", 30, 31)});
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  type(window_.pages().add(), "Name", "task");
  type(window_.pages().add(), "Note", "it's a note");
  click(window_.pages().add(), "Copy as command");
  const Ran ran = run("--json");
  ASSERT_EQ(ran.exitCode, 0) << ran.words.toStdString();
  ASSERT_TRUE(waitFor([&] { return lists("task:v1"); }));
  EXPECT_EQ(ran.json()["version"].toObject()["note"].toString(), "it's a note");
  // The button finds that it is there.
  click(window_.pages().add(), "Add version");
  gui::Banner& banner = window_.pages().add().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("no new version"); }))
      << banner.text().toStdString();
}

TEST_F(CommandsTest, RestoreWritesTheSameBytes) {
  open();
  gui::RestorePage& page = window_.pages().restore();
  QSignalSpy planned(&page, &gui::RestorePage::planned);
  press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  page.setTarget(inFolder("by command.safetensors"));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  click(page, "Copy as command");
  const Ran ran = run();
  ASSERT_EQ(ran.exitCode, 0) << ran.words.toStdString();
  page.setTarget(inFolder("by button.safetensors"));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  QSignalSpy restored(&page, &gui::RestorePage::restored);
  click(page, "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  const std::string bytes = readWhole(sample_.files() / "by command.safetensors");
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(bytes, readWhole(sample_.files() / "by button.safetensors"));
}

TEST_F(CommandsTest, DiffCountsWhatTheTableShows) {
  open();
  gui::ComparePage& page = window_.pages().compare();
  QSignalSpy compared(&page, &gui::ComparePage::compared);
  emit window_.bench().compare("tuned:v1", "tuned:v2");
  ASSERT_TRUE(compared.wait(kPatienceMs));
  click(page, "Copy as command");
  const QJsonObject report = run("--json").json();
  const auto changed = report["tensors_changed"].toInt(-1);
  EXPECT_EQ(changed, table(page, "Tensors that differ")->model()->rowCount())
      << QJsonDocument(report).toJson().toStdString();
}

TEST_F(CommandsTest, ShowGivesTheNumbersOfTheVersion) {
  open();
  for (auto* menu : window_.findChildren<QMenu*>()) {
    if (menu->title().remove(u'&') != "Copy as command") continue;
    emit menu->aboutToShow();
    ASSERT_EQ(menu->actions().size(), 4);  // show, diff, push, remove
    menu->actions().front()->trigger();
  }
  const QJsonObject version = run("--json").json()["version"].toObject();
  EXPECT_EQ(version["ref"].toString(), "tuned:v2");
  for (const ListRow& row : session().snapshot()->rows) {
    if (gui::labelText(row.version) != "tuned:v2") continue;
    EXPECT_EQ(version["stored_bytes"].toDouble(), static_cast<double>(row.version.storedBytes));
    EXPECT_EQ(version["ratio"].toDouble(), row.version.ratio());
  }
}

TEST_F(CommandsTest, VerifyFindsTheSameDamage) {
  open();
  gui::StoragePage& page = window_.pages().storage();
  QSignalSpy objects(&page, &gui::StoragePage::objectsListed);
  window_.showPage(Page::Storage);
  ASSERT_TRUE(objects.wait(kPatienceMs));
  const auto copy = [&] { QGuiApplication::clipboard()->setText(commands(page).front()); };
  copy();
  EXPECT_EQ(run().exitCode, 0);
  sample_.damage("tuned:v2");
  QSignalSpy verified(&page, &gui::StoragePage::verified);
  click(page, "Verify all");
  ASSERT_TRUE(verified.wait(kPatienceMs));
  copy();
  const Ran ran = run();
  EXPECT_EQ(ran.exitCode, 6);
  EXPECT_TRUE(ran.out.contains("tuned:v2")) << ran.out.toStdString();
  EXPECT_TRUE(page.banner().text().contains("tuned:v2"));
}

TEST_F(CommandsTest, EstimateGivesTheNumbersOfThePreview) {
  open();
  addBase();
  gui::TunePage& page = window_.pages().tune();
  ASSERT_TRUE(waitFor([&] { return box(page, "Profile to begin with")->count() > 0; }));
  QSignalSpy previewed(&page, &gui::TunePage::previewed);
  emit window_.bench().tune(tunedFile("b.safetensors", 30, 31));
  ASSERT_TRUE(previewed.wait(kPatienceMs));
  page.findChild<QSlider*>()->setValue(7);
  ASSERT_TRUE(previewed.wait(kPatienceMs));
  emit window_.bench().protect("head.*");
  ASSERT_TRUE(previewed.wait(kPatienceMs));
  const QStringList shown = page.findChild<gui::TradeOffChart*>()->table().rows.front();
  click(page, "Copy the preview as command");
  const QJsonObject report = run("--json").json();
  const auto bytes = static_cast<std::uint64_t>(report["stored_bytes"].toDouble());
  EXPECT_EQ(shown[1], gui::bytesText(bytes));
  EXPECT_EQ(shown[2], QString::number(report["relative_error"].toDouble(), 'g', 3));
  EXPECT_EQ(report["sampled_tensors"].toInt(), 2);
}

TEST_F(CommandsTest, WhatTheCommandRemovesTheWindowCanBringBack) {
  open();
  QGuiApplication::clipboard()->setText("strata -C " + sample_.folder() + " remove tuned:v2");
  ASSERT_EQ(run().exitCode, 0);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Storage);
  auto* trash = table(window_.pages().storage(), "Trash");
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 1; }));
  trash->selectRow(0);
  click(window_.pages().storage(), "Bring back");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
}

}  // namespace
}  // namespace strata::test
