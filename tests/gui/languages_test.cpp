#include "gui/widgets/look/languages.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "gui/main_window.h"
#include "gui/models/problem_text.h"
#include "gui/models/setting_help.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "gui/widgets/dialogs/tag_dialog.h"
#include "gui/widgets/look/plurals.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/gui_samples.h"
#include "tests/gui/pseudo_locale.h"

namespace strata::test {
namespace {

using Page = gui::Page;

bool speaks(const char* code) {
  for (const gui::Language& language : gui::languages()) {
    if (language.code == QLatin1String(code)) return true;
  }
  return false;
}

/// Speaks a language for one test.
class Speaking {
 public:
  explicit Speaking(const QString& code) {
    if (code == "pseudo") {
      QCoreApplication::installTranslator(&pseudo_);
    } else {
      gui::applyLanguage(code);
    }
  }
  ~Speaking() {
    QCoreApplication::removeTranslator(&pseudo_);
    gui::applyLanguage("en");
    QLocale::setDefault(QLocale::c());
    QApplication::setLayoutDirection(Qt::LeftToRight);
  }

 private:
  PseudoLocale pseudo_;
};

TEST(Languages, SpeakEnglishWithPlurals) {
  const Speaking english("en");
  EXPECT_EQ(gui::MainWindow::tr("%n version(s)", nullptr, 1), "1 version");
  EXPECT_EQ(gui::MainWindow::tr("%n version(s)", nullptr, 3), "3 versions");
}

TEST(Languages, SpeakGermanWithPluralsAndBack) {
  if (!speaks("de")) GTEST_SKIP() << "built without Qt's linguist tools";
  {
    const Speaking german("de");
    EXPECT_EQ(gui::MainWindow::tr("%n version(s)", nullptr, 1), "1 Version");
    EXPECT_EQ(gui::MainWindow::tr("%n version(s)", nullptr, 3), "3 Versionen");
    EXPECT_EQ(gui::LibraryPage::tr("Timeline"), "Zeitleiste");
    EXPECT_EQ(QLocale().decimalPoint(), ",");
  }
  EXPECT_EQ(gui::LibraryPage::tr("Timeline"), "Timeline");
}

TEST(Languages, FallBackToEnglishWhereTheyAreNotKnown) {
  const Speaking unknown("tlh");
  EXPECT_EQ(gui::LibraryPage::tr("Timeline"), "Timeline");
  EXPECT_EQ(gui::MainWindow::tr("%n base(s)", nullptr, 2), "2 bases");
}

TEST(Languages, HaveTheHelpOfEverySetting) {
  const QStringList translated = gui::translatedSettingHelp();
  for (const Setting& setting : allSettings()) {
    EXPECT_TRUE(translated.contains(gui::text(setting.help))) << setting.key;
  }
  EXPECT_EQ(translated.size(), static_cast<qsizetype>(allSettings().size()));
  if (!speaks("de")) GTEST_SKIP() << "built without Qt's linguist tools";
  const Speaking german("de");
  for (const Setting& setting : allSettings()) {
    EXPECT_NE(gui::settingHelp(setting), gui::text(setting.help)) << setting.key;
  }
}

TEST(Languages, SayWhatKindOfFailureItIs) {
  if (!speaks("de")) GTEST_SKIP() << "built without Qt's linguist tools";
  const Error error{ErrorCode::StoreLocked, "locked by PID 12"};
  EXPECT_EQ(gui::problemFrom("x", error).why, "locked by PID 12");
  const Speaking german("de");
  EXPECT_EQ(gui::problemFrom("x", error).why, "Ablage gesperrt: locked by PID 12");
  EXPECT_EQ(gui::problemFrom("x", error).number, "STRATA-E1101");
  EXPECT_FALSE(gui::problemFrom("x", error).advice.contains("Try again"));
}

/// Widgets whose text has less room than it needs, as texts for people.
QStringList cutTexts(QWidget& window, const QString& where) {
  QStringList cut;
  const auto note = [&](const QWidget& widget, const QString& text, int has, int needs) {
    cut << QStringLiteral("%1: %2 \"%3\" has %4 of %5")
               .arg(where, QLatin1String(widget.metaObject()->className()), text)
               .arg(has)
               .arg(needs);
  };
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->width() == 0) continue;
    if (const auto* label = qobject_cast<QLabel*>(widget)) {
      if (label->text().isEmpty()) continue;
      if (label->wordWrap()) {
        const int needs = label->heightForWidth(label->width());
        if (needs > label->height() + 1) note(*label, label->text(), label->height(), needs);
      } else if (label->sizeHint().width() > label->width() + 1) {
        note(*label, label->text(), label->width(), label->sizeHint().width());
      }
    } else if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
      if (button->text().isEmpty()) continue;
      if (button->sizeHint().width() > button->width() + 1) {
        note(*button, button->text(), button->width(), button->sizeHint().width());
      }
    } else if (const auto* tabs = qobject_cast<QTabBar*>(widget)) {
      if (tabs->sizeHint().width() > tabs->width() + 1) {
        note(*tabs, tabs->tabText(0), tabs->width(), tabs->sizeHint().width());
      }
    }
  }
  return cut;
}

TEST(Languages, WordNumbersWithOneDecimalPoint) {
  EXPECT_EQ(gui::bytesText(1'500'000), "1.5 MB");
  EXPECT_EQ(gui::plainNumber("0.03"), "0.03");
  if (!speaks("de")) GTEST_SKIP() << "built without Qt's linguist tools";
  const Speaking german("de");
  EXPECT_EQ(gui::bytesText(1'500'000), "1,5 MB");
  EXPECT_EQ(gui::ratioText(15.44), "15,4x");
  EXPECT_EQ(gui::shareText(0.0123), "1,2 %");
  EXPECT_EQ(gui::errorText(0.018), "0,018");
  EXPECT_EQ(gui::decimalText(12345.678, 1), "12345,7");
  EXPECT_EQ(gui::shortNumberText(0.03126), "0,0313");
  EXPECT_EQ(gui::numberText("accuracy 0.91. It was 0.92"), "accuracy 0,91. It was 0,92");
  EXPECT_EQ(gui::plainNumber("0,03"), "0.03");
  EXPECT_EQ(gui::plainNumber("0.03"), "0.03");
}

TEST(Languages, FitSmallScreens) {
  for (const char* name : {"en", "de"}) {
    if (!speaks(name)) GTEST_SKIP() << "built without Qt's linguist tools";
    const Speaking language(name);
    const gui::MainWindow window{gui::Preferences{}};
    EXPECT_LE(window.minimumSizeHint().width(), 1024) << name;
    EXPECT_LE(window.minimumSizeHint().height(), 700) << name;
    const auto* const stack = window.findChild<QStackedWidget*>();
    ASSERT_NE(stack, nullptr);
    for (int i = 0; i < stack->count(); ++i) {
      const QWidget& page = *stack->widget(i);
      EXPECT_LE(page.minimumSizeHint().width(), 860)
          << name << ": " << page.metaObject()->className();
    }
  }
}

/// A language, or "pseudo", and the direction in which it is written.
struct Way {
  const char* language;
  Qt::LayoutDirection direction;
};

class EveryLanguage : public ::testing::TestWithParam<Way> {};

TEST_P(EveryLanguage, CutsNoTextAtTheUsualSize) {
  const Way way = GetParam();
  if (way.language == std::string("de") && !speaks("de")) {
    GTEST_SKIP() << "built without Qt's linguist tools";
  }
  const Speaking language(way.language);
  QApplication::setLayoutDirection(way.direction);
  const StoreSample sample;
  gui::MainWindow window{gui::Preferences{}};
  window.resize(1280, 800);
  window.show();
  QStringList cut;
  const auto look = [&](const char* where) {
    QCoreApplication::processEvents();
    QTest::qWait(1);
    cut += cutTexts(window, where);
    EXPECT_FALSE(window.grab().isNull());
  };
  window.openStore({});
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.page() == Page::Welcome; }, kPatienceMs));
  look("welcome");
  QSignalSpy listed(&window.bench().session(), &gui::StoreSession::listed);
  window.openStore(sample.folder());
  ASSERT_TRUE(listed.wait(kPatienceMs));
  window.pages().library().select("tuned:v2");
  look("library");
  QSignalSpy shown(&window.pages().version(), &gui::VersionPage::shown);
  emit window.bench().showVersion("tuned:v2");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  for (int tab = 0; tab <= static_cast<int>(gui::VersionPage::Metadata); ++tab) {
    window.pages().version().showTab(static_cast<gui::VersionPage::Tab>(tab));
    look("version");
  }
  QSignalSpy inspected(&window.pages().add(), &gui::AddPage::inspected);
  window.showPage(Page::Add);
  window.pages().add().begin(
      {QString::fromStdString(writeModel(sample.files(), "new.safetensors", 40))});
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  look("add");
  QSignalSpy settings(&window.pages().settings(), &gui::SettingsPage::shown);
  window.showPage(Page::Settings);
  ASSERT_TRUE(settings.wait(kPatienceMs));
  look("settings");
  for (const auto& [page, where] :
       {std::pair{Page::Compare, "compare"}, std::pair{Page::Restore, "restore"},
        std::pair{Page::Tune, "tune"}, std::pair{Page::Remotes, "remotes"},
        std::pair{Page::Hub, "hub"}, std::pair{Page::Transfers, "transfers"},
        std::pair{Page::Storage, "storage"}}) {
    window.showPage(page);
    look(where);
  }
  gui::TagDialog dialog(window.bench(), "tuned:v2", {"prod"}, {"lab"});
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.show();
  QCoreApplication::processEvents();
  cut += cutTexts(dialog, "tags");
  gui::RenameDialog rename(window.bench(), "tuned", 2, {"base"});
  rename.setAttribute(Qt::WA_DeleteOnClose, false);
  rename.show();
  rename.findChild<QLineEdit*>()->setText("a b");
  QCoreApplication::processEvents();
  cut += cutTexts(rename, "rename");
  EXPECT_TRUE(cut.isEmpty()) << cut.join("\n").toStdString();
}

INSTANTIATE_TEST_SUITE_P(Windows, EveryLanguage,
                         ::testing::Values(Way{"en", Qt::LeftToRight}, Way{"de", Qt::LeftToRight},
                                           Way{"pseudo", Qt::LeftToRight},
                                           Way{"pseudo", Qt::RightToLeft}),
                         [](const auto& one) {
                           return std::string(one.param.language) +
                                  (one.param.direction == Qt::RightToLeft ? "RightToLeft" : "");
                         });

}  // namespace
}  // namespace strata::test
