#pragma once

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <functional>

#include "gui/main_window.h"
#include "gui/pages/library_page.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {

using Page = gui::Page;

/// The table, or the box, of a page with this accessible name.
inline gui::TableView* table(QWidget& page, const QString& name) {
  for (auto* view : page.findChildren<gui::TableView*>()) {
    if (view->accessibleName() == name) return view;
  }
  ADD_FAILURE() << "no table " << name.toStdString();
  return nullptr;
}

inline QComboBox* box(QWidget& page, const QString& name) {
  for (auto* one : page.findChildren<QComboBox*>()) {
    if (one->accessibleName() == name) return one;
  }
  ADD_FAILURE() << "no box " << name.toStdString();
  return nullptr;
}

/// The whole window over a small store, used as people use it: by clicks and keys.
class WindowTest : public ::testing::Test {
 protected:
  WindowTest() {
    window_.resize(1280, 800);
    window_.show();
    window_.activateWindow();  // an X server without a window manager leaves that to us
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window_));
  }

  /// Opens the store and selects tuned:v2.
  void open() {
    QSignalSpy listed(&session(), &gui::StoreSession::listed);
    window_.openStore(sample_.folder());
    ASSERT_TRUE(listed.wait(kPatienceMs));
    window_.pages().library().select("tuned:v2");
    ASSERT_EQ(window_.pages().library().selection(), QStringList{"tuned:v2"});
  }

  gui::StoreSession& session() { return window_.bench().session(); }
  std::size_t rowCount() { return session().snapshot()->rows.size(); }
  static bool waitFor(const std::function<bool()>& come) {
    return QTest::qWaitFor(come, kPatienceMs);
  }

  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(window_.focusWidget() != nullptr ? window_.focusWidget() : &window_,
                    static_cast<Qt::Key>(key), modifiers);
  }

  /// The visible button of a page with this text, or this accessible name.
  template <typename Button = QAbstractButton>
  static Button* button(QWidget& page, const QString& text) {
    QCoreApplication::processEvents();  // what was just put into a layout is shown
    for (auto* one : page.findChildren<Button*>()) {
      if ((one->text() == text || one->accessibleName() == text) && !one->isHidden()) return one;
    }
    ADD_FAILURE() << "no button " << text.toStdString();
    return nullptr;
  }
  static void click(QWidget& page, const QString& text) {
    QAbstractButton* const one = button(page, text);
    ASSERT_NE(one, nullptr);
    ASSERT_TRUE(one->isEnabled()) << text.toStdString();
    QTest::mouseClick(one, Qt::LeftButton);
  }
  /// What a page's button "Copy as command" offers.
  static QStringList commands(QWidget& page) {
    const auto* one = button<gui::CommandButton>(page, QStringLiteral("Copy as command"));
    return one == nullptr ? QStringList() : one->commands();
  }
  static QLineEdit* edit(QWidget& page, const QString& name) {
    for (auto* one : page.findChildren<QLineEdit*>()) {
      if (one->accessibleName() == name) return one;
    }
    ADD_FAILURE() << "no edit " << name.toStdString();
    return nullptr;
  }
  static void type(QWidget& page, const QString& name, const QString& words) {
    QLineEdit* const one = edit(page, name);
    ASSERT_NE(one, nullptr);
    one->setFocus();
    one->selectAll();
    QTest::keyClicks(one, words);
  }
  /// Saves how the window looks now where STRATA_PICTURES names a folder: scripts/screenshots.
  void picture(const QString& name) {
    const QString folder = qEnvironmentVariable("STRATA_PICTURES");
    if (folder.isEmpty()) return;
    QTest::qWait(60);  // hover and layout settle
    EXPECT_TRUE(window_.grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
  }
  QString modelFile(const char* name, unsigned seed) {
    return QString::fromStdString(writeModel(sample_.files(), name, seed));
  }
  QString tunedFile(const char* name, unsigned seed, unsigned change) {
    return QString::fromStdString(writeTuned(sample_.files(), name, seed, change));
  }
  QString inFolder(const char* name) const {
    return QString::fromStdString((sample_.files() / name).string());
  }

  StoreSample sample_;
  gui::MainWindow window_{gui::Preferences{}};
};

}  // namespace strata::test
