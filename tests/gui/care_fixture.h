#pragma once

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>

#include "gui/pages/remotes_page.h"
#include "gui/pages/storage_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/window_test.h"

namespace strata::test {

/// The window with a share beside its store, and questions that it asks.
class CareTest : public WindowTest {
 protected:
  gui::StoragePage& storage() { return window_.storagePage(); }
  gui::RemotesPage& remotes() { return window_.remotesPage(); }

  void openStorage() {
    open();
    QSignalSpy objects(&storage(), &gui::StoragePage::objectsListed);
    press(Qt::Key_4, Qt::AltModifier);
    ASSERT_EQ(window_.page(), Page::Storage);
    ASSERT_TRUE(objects.wait(kPatienceMs));
  }
  void addShare() {
    QSignalSpy listed(&remotes(), &gui::RemotesPage::listed);
    window_.showPage(Page::Remotes);
    type(remotes(), "Name of a new remote", "share");
    type(remotes(), "URL of a new remote", QString::fromStdString(sample_.share()));
    click(remotes(), "Add remote");
    ASSERT_TRUE(waitFor([&] { return listed.count() >= 1; }));
    ASSERT_TRUE(waitFor([&] { return button(remotes(), "Push all...")->isEnabled(); }));
  }
  /// Waits for a question and presses one of its buttons.
  static void answer(const QString& text) {
    QMessageBox* box = nullptr;
    ASSERT_TRUE(waitFor([&] {
      box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      return box != nullptr;
    }));
    ASSERT_NE(box->defaultButton(), nullptr);
    EXPECT_EQ(box->buttonRole(box->defaultButton()), QMessageBox::RejectRole);
    for (QAbstractButton* one : box->buttons()) {
      if (one->text().remove(u'&') == text) return QTest::mouseClick(one, Qt::LeftButton);
    }
    FAIL() << "no button " << text.toStdString();
  }
};

}  // namespace strata::test
