// Restoring a version, by clicks and keys.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QRadioButton>

#include "gui/pages/restore_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/views/table_view.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class RestoreTest : public WindowTest {
 protected:
  gui::RestorePage& page() { return window_.pages().restore(); }

  void begin(const QString& target) {
    open();
    QSignalSpy planned(&page(), &gui::RestorePage::planned);
    press(Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(planned.wait(kPatienceMs));
    page().setTarget(target);
    ASSERT_TRUE(planned.wait(kPatienceMs));
  }
  void choose(const QString& words) {
    QSignalSpy planned(&page(), &gui::RestorePage::planned);
    for (auto* one : page().findChildren<QRadioButton*>()) {
      if (one->text() == words) one->click();
    }
    ASSERT_TRUE(planned.wait(kPatienceMs));
  }
};

TEST_F(RestoreTest, KeepsTheOldFileWhereItIsAskedTo) {
  const QString target = inFolder("mine.safetensors");
  writeWhole(target.toStdString(), "mine");
  begin(target);
  EXPECT_FALSE(button(page(), "Restore")->isEnabled());
  const auto* banner = page().findChild<gui::Banner*>();
  EXPECT_TRUE(banner->text().contains("Say below what becomes")) << banner->text().toStdString();
  choose("keep it as NAME.bak");
  EXPECT_FALSE(banner->isVisible());
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --backup"));
  QSignalSpy restored(&page(), &gui::RestorePage::restored);
  click(page(), "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_EQ(readWhole(target.toStdString() + ".bak"), "mine");
  EXPECT_NE(readWhole(target.toStdString()), "mine");
}

TEST_F(RestoreTest, ReplacesOnlyWhenTold) {
  const QString target = inFolder("mine.safetensors");
  writeWhole(target.toStdString(), "mine");
  begin(target);
  choose("replace it");
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --force"));
  QSignalSpy restored(&page(), &gui::RestorePage::restored);
  click(page(), "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_NE(readWhole(target.toStdString()), "mine");
}

TEST_F(RestoreTest, SaysInTheCommandThatTheDigestIsToBeCompared) {
  begin(inFolder("out.safetensors"));
  auto* check = page().findChild<QCheckBox*>();
  ASSERT_FALSE(check->isChecked());
  QTest::mouseClick(check, Qt::LeftButton, {}, {8, check->height() / 2});
  EXPECT_TRUE(check->isChecked());
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --verify"));
}

TEST_F(RestoreTest, ShowsEachFileAndWhatItIsDecodedFrom) {
  begin(inFolder("out.safetensors"));
  auto* files = table(page(), "Files to be written");
  ASSERT_TRUE(waitFor([&] { return files->model()->rowCount() == 1; }));
  EXPECT_EQ(files->model()->index(0, 0).data().toString(), inFolder("out.safetensors"));
  EXPECT_FALSE(files->model()->index(0, 1).data().toString().isEmpty());
  auto* line = table(page(), "Versions they are decoded from");
  const int last = line->model()->rowCount() - 1;
  ASSERT_GE(last, 1);
  EXPECT_EQ(line->model()->index(0, 0).data().toString(), "tuned:v2");
  EXPECT_EQ(line->model()->index(last, 0).data().toString(), "base:v1 (base)");
  EXPECT_EQ(line->model()->index(last, 2).data().toString(), "yes");
  // They take what the form leaves, at any size.
  for (const QSize size : {QSize(1280, 800), QSize(3840, 2160)}) {
    window_.resize(size);
    ASSERT_TRUE(waitFor([&] { return files->width() + line->width() > page().width() * 9 / 10; }));
    EXPECT_GT(files->height(), page().height() / 2);
  }
}

}  // namespace
}  // namespace strata::test
