#pragma once

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>

#include "core/ops/exchange/push_versions.h"
#include "core/ops/versions/import_base.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/storage_page.h"
#include "gui/widgets/banner.h"
#include "onnx_io/model_reader.h"
#include "tests/gui/window_test.h"

namespace strata::test {

/// The window with a share beside its store, and questions that it asks.
class CareTest : public WindowTest {
 protected:
  gui::StoragePage& storage() { return window_.pages().storage(); }
  gui::RemotesPage& remotes() { return window_.pages().remotes(); }

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
  /// Adds own:v1, a difference to the base public:v1, which lies as a plain model at `place`, and
  /// sends own:v1 without its base.
  void sendWithoutBase(const std::string& plain, const std::string& place, Transport& to) {
    const std::string tuned = writeTuned(sample_.files(), "own.safetensors", 21, 4);
    const auto store = Store::open(sample_.path());
    ASSERT_TRUE(store);
    const auto base = openModel(plain);
    const auto own = openModel(tuned);
    ASSERT_TRUE(base && own);
    ASSERT_TRUE(importBase(**store, **base, {.name = "public", .sourceUrl = place}, {}, {}));
    AddOptions options;
    options.name = "own";
    options.baseChoice = BaseChoice::Reference;
    options.base = "public";
    ASSERT_TRUE(addVersion(**store, **own, options, {}, {}));
    ASSERT_TRUE(pushVersions(**store, to, {.references = {"own"}, .withBase = false, .parallel = 1},
                             {}, {}));
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
