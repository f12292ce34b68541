// Bad input and jobs that are stopped: a banner beside the cause, nothing lost, the window usable.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "core/store/store_writer.h"
#include "gui/jobs/store_ops.h"
#include "gui/pages/add_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/window_test.h"
#include "tests/support/full_disk.h"

namespace strata::test {
namespace {

class FailuresTest : public WindowTest {
 protected:
  void inspect(const QString& path) {
    QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
    window_.showPage(Page::Add);
    window_.pages().add().begin({path});
    ASSERT_TRUE(inspected.wait(kPatienceMs));
  }
  void planRestore(const QString& target) {
    gui::RestorePage& page = window_.pages().restore();
    QSignalSpy planned(&page, &gui::RestorePage::planned);
    press(Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(planned.wait(kPatienceMs));
    page.setTarget(target);
    ASSERT_TRUE(planned.wait(kPatienceMs));
  }
  /// Waits for a banner with these words; it has to say what to do, too.
  static void expectTold(gui::Banner& banner, const QString& words) {
    EXPECT_TRUE(waitFor([&] { return banner.text().contains(words); }))
        << "the banner says: " << banner.text().toStdString();
  }
  /// The whole store by path and bytes, without what SQLite keeps beside its file.
  std::map<std::string, std::string> objects() const {
    std::map<std::string, std::string> found;
    const auto folder = sample_.path() / "objects";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) found[entry.path().string()] = readWhole(entry.path());
    }
    return found;
  }
};

TEST_F(FailuresTest, RestoresNothingToAFullDiskAndAllOfItLater) {
  open();
  planRestore(inFolder("out.safetensors"));
  gui::RestorePage& page = window_.pages().restore();
  {
    const FullDisk full(2048);
    click(page, "Restore");
    expectTold(page.banner(), "STRATA-E9");
  }
  EXPECT_FALSE(std::filesystem::exists(sample_.files() / "out.safetensors"));
  QSignalSpy restored(&page, &gui::RestorePage::restored);
  click(page, "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_TRUE(std::filesystem::exists(sample_.files() / "out.safetensors"));
}

TEST_F(FailuresTest, LeavesTheStoreAsItWasOnAFullDisk) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  const auto before = objects();
  {
    const FullDisk full(4096);
    click(window_.pages().add(), "Add base");
    expectTold(window_.pages().add().banner(), "STRATA-E9");
  }
  EXPECT_TRUE(window_.pages().add().banner().text().contains("nothing was lost"));
  picture("state-disk-full");
  EXPECT_EQ(objects(), before);
  QSignalSpy verified(&window_.pages().storage(), &gui::StoragePage::verified);
  window_.showPage(Page::Storage);
  click(window_.pages().storage(), "Verify all");
  ASSERT_TRUE(verified.wait(kPatienceMs));
  EXPECT_TRUE(window_.pages().storage().banner().text().contains("sound"));
}

TEST_F(FailuresTest, SaysThatATargetCannotBeWritten) {
  open();
  planRestore(inFolder("no such folder/deep/out.safetensors"));
  gui::RestorePage& page = window_.pages().restore();
  if (button(page, "Restore")->isEnabled()) click(page, "Restore");
  expectTold(page.banner(), "no such folder");
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(FailuresTest, RefusesWhatIsNoModelAndTakesTheNextFile) {
  open();
  const std::map<std::string, std::string> files = {
      {"empty.onnx", ""},
      {"noise.onnx", std::string(300, '\xff')},
      {"words.safetensors", "this is no header at all"},
      {"huge.safetensors", std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10)},
  };
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    writeWhole((sample_.files() / name).string(), bytes);
    inspect(inFolder(name.c_str()));
    const QString told = window_.pages().add().banner().text();
    EXPECT_TRUE(told.contains("STRATA-E")) << told.toStdString();
    EXPECT_TRUE(told.contains(QString::fromStdString(name))) << told.toStdString();
    for (auto* one : window_.pages().add().findChildren<QPushButton*>()) {
      if (one->text().startsWith("Add ") && !one->isHidden()) {
        EXPECT_FALSE(one->isEnabled());
      }
    }
  }
  inspect(modelFile("good.safetensors", 30));
  EXPECT_EQ(window_.pages().add().banner().text(), "");
  EXPECT_TRUE(button(window_.pages().add(), "Add base")->isEnabled());
}

TEST_F(FailuresTest, TellsOfAnAddThatWasKilled) {
  // A writer that dies leaves its name in the lock's file.
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto store = Store::open(sample_.path());
    auto lock = store ? (*store)->lock("strata add") : fail(store.error());
    ::_exit(lock ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  ASSERT_EQ(status, 0);
  open();
  window_.showPage(Page::Storage);
  const QString left = QStringLiteral("1 unfinished operation of PID %1").arg(writer);
  const auto isTold = [&] {
    for (const auto* label : window_.pages().storage().findChildren<QLabel*>()) {
      if (label->text().contains(left)) return true;
    }
    return false;
  };
  EXPECT_TRUE(isTold());
  picture("state-unfinished-add");
  window_.showPage(Page::Library);
  press(Qt::Key_Delete);  // any write cleans up
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  EXPECT_TRUE(waitFor([&] { return !isTold(); }));
}

TEST_F(FailuresTest, SaysThatTheStoreWasClosed) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  session().close();
  click(window_.pages().add(), "Add base");
  expectTold(window_.pages().add().banner(), "STRATA-E10");
  window_.pages().storage().verify(VerifyOptions::Level::Full);
  expectTold(window_.pages().storage().banner(), "STRATA-E10");
  emit window_.bench().tune(modelFile("other.safetensors", 31));
  expectTold(window_.pages().tune().banner(), "STRATA-E10");
  EXPECT_NE(button(window_.pages().tune().banner(), "Open another store..."), nullptr);
  picture("state-store-closed");
}

TEST_F(FailuresTest, SaysThatAVersionIsGone) {
  open();
  emit window_.bench().showVersion("tuned:v9");
  expectTold(window_.pages().version().banner(), "tuned:v9");
  EXPECT_TRUE(window_.pages().version().banner().text().contains("STRATA-E5"));
  EXPECT_FALSE(button(window_.pages().version(), "Restore...")->isEnabled());
  picture("state-version-gone");
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  emit window_.bench().showVersion("tuned:v1");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(window_.pages().version().banner().text(), "");
  EXPECT_TRUE(button(window_.pages().version(), "Restore...")->isEnabled());
}

TEST_F(FailuresTest, AddsAfterTheLockIsFree) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  window_.bench().store()->setLockWait({.longest = std::chrono::milliseconds(0)});
  click(window_.pages().add(), "Add base");
  gui::Banner& banner = window_.pages().add().banner();
  expectTold(banner, "STRATA-E1101");
  EXPECT_TRUE(banner.text().contains(QString::number(::getpid()))) << banner.text().toStdString();
  picture("state-locked");
  lock->reset();
  QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
  click(window_.pages().add(), "Add base");
  ASSERT_TRUE(added.wait(kPatienceMs));
}

TEST_F(FailuresTest, KeepsWhatWasTypedWhenAnAddFails) {
  open();
  const QString file = modelFile("enc.safetensors", 30);
  inspect(file);
  type(window_.pages().add(), "Name", "kept");
  type(window_.pages().add(), "Note", "so is this");
  std::filesystem::rename(file.toStdString(), file.toStdString() + ".away");
  click(window_.pages().add(), "Add base");
  expectTold(window_.pages().add().banner(), "STRATA-E");
  EXPECT_EQ(edit(window_.pages().add(), "Name")->text(), "kept");
  EXPECT_EQ(edit(window_.pages().add(), "Note")->text(), "so is this");
  std::filesystem::rename(file.toStdString() + ".away", file.toStdString());
  QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
  click(window_.pages().add(), "Add base");
  ASSERT_TRUE(added.wait(kPatienceMs));
  EXPECT_EQ(added[0][0].toString(), "kept:v1");
}

TEST_F(FailuresTest, SaysThatARemoteFolderIsGone) {
  open();
  window_.showPage(Page::Remotes);
  window_.pages().remotes().addRemote("away", "file://" + inFolder("not/there"));
  expectTold(window_.pages().remotes().banner(), "STRATA-E");
  EXPECT_TRUE(window_.pages().remotes().banner().text().contains("not/there"))
      << window_.pages().remotes().banner().text().toStdString();
}

/// Each job that a person waits for ends where it is told to, and leaves live buttons behind. The
/// models are small: a job may be over before it is stopped, and either is right.
TEST_F(FailuresTest, StopsAddingAndLeavesLiveButtons) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
  click(window_.pages().add(), "Add base");
  click(window_.pages().add(), "Cancel");
  const auto isOver = [&] { return !session().queue().isBusy(); };
  ASSERT_TRUE(waitFor(isOver));
  QCoreApplication::processEvents();
  if (added.isEmpty()) {
    expectTold(window_.pages().add().banner(), "the store is as it was");
    picture("state-cancelled");
    EXPECT_TRUE(button(window_.pages().add(), "Add base")->isEnabled());
    EXPECT_EQ(rowCount(), 3U);
  } else {
    EXPECT_TRUE(waitFor([&] { return rowCount() == 4; }));
  }
}

TEST_F(FailuresTest, StopsRestoringAndLeavesNoFile) {
  open();
  planRestore(inFolder("out.safetensors"));
  gui::RestorePage& page = window_.pages().restore();
  QSignalSpy restored(&page, &gui::RestorePage::restored);
  click(page, "Restore");
  click(page, "Cancel");
  ASSERT_TRUE(waitFor([&] { return !session().queue().isBusy(); }));
  QCoreApplication::processEvents();
  EXPECT_EQ(std::filesystem::exists(sample_.files() / "out.safetensors"), !restored.isEmpty());
  for (const auto& entry : std::filesystem::directory_iterator(sample_.files().path())) {
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

TEST_F(FailuresTest, StopsACheck) {
  open();
  gui::StoragePage& page = window_.pages().storage();
  window_.showPage(Page::Storage);
  click(page, "Verify all");
  // Looking again would let the check end in between.
  QAbstractButton* const stop = button(page, "Stop");
  if (stop->isEnabled()) QTest::mouseClick(stop, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return button(page, "Verify all")->isEnabled(); }));
  EXPECT_NE(page.banner().text(), "");
}

}  // namespace
}  // namespace strata::test
