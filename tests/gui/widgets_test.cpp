#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>
#include <cmath>

#include "gui/charts/chart.h"
#include "gui/models/columns/version_columns.h"
#include "gui/models/lineage_model.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "gui/widgets/dialogs/tag_dialog.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/theme.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

TEST(TableView, CopiesSelectedRowsWithTabs) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  table->setRows({makeRow("b", 1), makeRow("a", 1)});
  view.selectRow(1);
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  const QString copied = QGuiApplication::clipboard()->text();
  EXPECT_TRUE(copied.startsWith("a:v1\t")) << copied.toStdString();
  EXPECT_EQ(copied.count('\n'), 1);
}

TEST(TableView, HidesColumnsFromTheMenuOfTheHeader) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  view.show();
  emit view.horizontalHeader()->customContextMenuRequested({5, 5});
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  ASSERT_NE(menu, nullptr);
  ASSERT_EQ(menu->actions().size(), table->columnCount() - 1);
  EXPECT_EQ(menu->actions().front()->text(), "Added");
  menu->actions().front()->trigger();
  menu->close();
  EXPECT_TRUE(view.isColumnHidden(1));
  EXPECT_FALSE(view.isColumnHidden(0));
}

TEST(TableView, CutsNeitherTitlesNorMarkedRows) {
  gui::TableView view("Words");
  using Table = gui::RecordTable<QString>;
  const auto itself = [](const QString& word) { return word; };
  auto* table =
      new Table({{"Name", {}, false, itself}, {"A long title of it", {}, false, itself}}, &view);
  table->setMark([](const QString&) { return true; });
  view.setRecords(table);
  view.show();
  EXPECT_GE(view.columnWidth(1), view.fontMetrics().horizontalAdvance("A long title of it"));
  const QString words = "a cell that is longer than its title";
  table->setRows({words});
  QFont bold = view.font();
  bold.setBold(true);
  EXPECT_GE(view.columnWidth(1), QFontMetrics(bold).horizontalAdvance(words));
}

TEST(TableView, EscapeLeavesNoRowChosen) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  table->setRows({makeRow("a", 1), makeRow("b", 1)});
  view.selectRow(1);
  ASSERT_EQ(view.selectedRows(), QList<int>{1});
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_TRUE(view.selectedRows().isEmpty());
  EXPECT_EQ(view.currentRow(), -1);
}

TEST(TableView, SaysSourceRowsWhateverTheOrder) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  table->setRows({makeRow("c", 1), makeRow("a", 1), makeRow("b", 1)});
  view.sortByColumn(0, Qt::AscendingOrder);
  QSignalSpy changed(&view, &gui::TableView::rowChanged);
  view.selectRow(2);
  EXPECT_EQ(view.currentRow(), 2);
  EXPECT_EQ(view.currentIndex().row(), 1);
  EXPECT_EQ(changed.back()[0].toInt(), 2);
  view.setFilter("c:v1");
  EXPECT_EQ(view.model()->rowCount(), 1);
}

TEST(FilterEdit, EscapeEmptiesThenLeaves) {
  gui::FilterEdit edit("Filter");
  QSignalSpy filtered(&edit, &gui::FilterEdit::filterChanged);
  QSignalSpy left(&edit, &gui::FilterEdit::left);
  QTest::keyClicks(&edit, "ab");
  EXPECT_EQ(filtered.back()[0].toString(), "ab");
  QTest::keyClick(&edit, Qt::Key_Escape);
  EXPECT_EQ(edit.text(), "");
  EXPECT_EQ(left.count(), 0);
  QTest::keyClick(&edit, Qt::Key_Escape);
  EXPECT_EQ(left.count(), 1);
}

TEST(LineageView, ActivatesVersionsAndCopiesHashes) {
  gui::LineageModel model;
  gui::LineageView view(&model);
  view.resize(600, 400);
  view.show();
  model.setSnapshot(makeLibrary(2, 2));
  view.select("tuned-1:v1");
  EXPECT_EQ(view.selectedLabels(), QStringList{"tuned-1:v1"});
  QSignalSpy activated(&view, &gui::LineageView::versionActivated);
  QTest::keyClick(&view, Qt::Key_Return);
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated[0][0].toString(), "tuned-1:v1");
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text().size(), 64);
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_TRUE(view.selectedLabels().isEmpty());
}

TEST(LineageView, KeepsSelectionAndClosedNamesOverARefresh) {
  gui::LineageModel model;
  gui::LineageView view(&model);
  view.show();
  model.setSnapshot(makeLibrary(3, 2));
  view.select("tuned-0:v2");
  const QModelIndex name = model.index(1, 0, model.index(0, 0));
  EXPECT_TRUE(view.isExpanded(name));
  view.collapse(name);
  model.setSnapshot(makeLibrary(4, 2));
  EXPECT_EQ(view.selectedLabels(), QStringList{"tuned-0:v2"});
  EXPECT_FALSE(view.isExpanded(model.index(1, 0, model.index(0, 0))));
  EXPECT_TRUE(view.isExpanded(model.index(2, 0, model.index(0, 0))));
}

TEST(Banner, OffersWhatHelpsAndForgetsItWhenItIsHidden) {
  gui::Banner banner;
  EXPECT_TRUE(banner.isHidden());
  banner.showProblem(gui::problemFrom("x could not be added", {ErrorCode::NoSpace, "disk full"}));
  int acted = 0;
  banner.addAction("Try again", [&] { ++acted; });
  EXPECT_FALSE(banner.isHidden());
  EXPECT_TRUE(banner.text().contains("STRATA-E901")) << banner.text().toStdString();
  const auto buttons = banner.findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), 2);
  for (QPushButton* button : buttons) button->click();
  EXPECT_EQ(acted, 1);
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("disk full"));
  banner.clear();
  EXPECT_TRUE(banner.isHidden());
  EXPECT_EQ(banner.text(), "");
}

TEST(Banner, OffersARemedyWhereSomebodyListens) {
  gui::Banner banner;
  const gui::Problem problem =
      gui::problemFrom("x could not be pushed", {ErrorCode::LoginRequired, "403"});
  const auto buttons = [&] {
    QCoreApplication::processEvents();  // what was put into a layout is shown
    QStringList texts;
    for (const auto* one : banner.findChildren<QPushButton*>()) {
      if (!one->isHidden()) texts << one->text();
    }
    return texts;
  };
  banner.showProblem(problem);
  EXPECT_FALSE(buttons().contains("Credentials..."));
  QSignalSpy wanted(&banner, &gui::Banner::remedyRequested);
  banner.showProblem(problem);
  ASSERT_TRUE(buttons().contains("Credentials..."));
  for (auto* one : banner.findChildren<QPushButton*>()) {
    if (one->text() == "Credentials...") one->click();
  }
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].value<gui::Remedy>(), gui::Remedy::LogIn);
}

TEST(Banner, ShowsHostileNamesAsText) {
  gui::Banner banner;
  banner.showNotice(gui::Banner::Kind::Trouble, "<img src=x>", "<b>no</b>");
  EXPECT_TRUE(banner.text().contains("&lt;img")) << banner.text().toStdString();
}

/// What dropping files, or a link, would do.
gui::DropPlan planPaths(const QStringList& paths) {
  QList<QUrl> urls;
  for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
  QMimeData data;
  data.setUrls(urls);
  return gui::planDrop(data);
}

gui::DropPlan planText(const QString& text) {
  QMimeData data;
  data.setText(text);
  return gui::planDrop(data);
}

using DropKind = gui::DropPlan::Kind;

TEST(DropPlan, TakesModelsAndSaysWhyNotOthers) {
  const gui::DropPlan models = planPaths({"/m/a.onnx", "/m/b.safetensors", "/m/c.pt", "/m/folder"});
  EXPECT_EQ(models.kind, DropKind::Models);
  EXPECT_EQ(models.paths.size(), 4);
  const gui::DropPlan refused = planPaths({"/m/a.onnx", "/m/notes.txt"});
  EXPECT_EQ(refused.kind, DropKind::Refused);
  EXPECT_TRUE(refused.paths.isEmpty());
  EXPECT_TRUE(refused.words.contains("notes.txt"));
  EXPECT_EQ(gui::planDrop(QMimeData()).kind, DropKind::Refused);
}

TEST(DropPlan, TakesOneBundleAtATime) {
  const gui::DropPlan bundle = planPaths({"/m/models.tar"});
  EXPECT_EQ(bundle.kind, DropKind::Bundle);
  EXPECT_EQ(bundle.paths, QStringList{"/m/models.tar"});
  EXPECT_EQ(planPaths({"/m/models.tar", "/m/a.onnx"}).kind, DropKind::Refused);
}

TEST(DropPlan, TakesRepositoriesAsTextAndAsLinks) {
  EXPECT_EQ(planText("hf://acme/models\n").url, "hf://acme/models");
  EXPECT_EQ(planText("oci://ghcr.io/acme/models").url, "oci://ghcr.io/acme/models");
  const QString page = "https://huggingface.co/acme/models/tree/main";
  EXPECT_EQ(planText(page).url, "hf://acme/models");
  QMimeData link;
  link.setUrls({QUrl(page)});
  EXPECT_EQ(gui::planDrop(link).kind, DropKind::Remote);
  EXPECT_EQ(gui::planDrop(link).url, "hf://acme/models");
  for (const char* other : {"https://example.org/a.onnx", "https://huggingface.co/docs", "a word",
                            "hf://acme/models and more", ""}) {
    EXPECT_EQ(planText(other).kind, DropKind::Refused) << other;
  }
}

QStringList commandsOf(const QWidget& page) {
  return page.findChild<gui::CommandButton*>()->commands();
}

TEST(CommandButton, CopiesTheOnlyCommandAndOffersSeveral) {
  gui::Workbench bench;
  QStringList commands{"strata a", QString()};
  gui::CommandButton button(bench, [&] { return commands; });
  button.show();
  QTest::mouseClick(&button, Qt::LeftButton);
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "strata a");
  EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
  commands = {"strata b", "strata c '&d'"};
  QTest::mouseClick(&button, Qt::LeftButton);
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  ASSERT_NE(menu, nullptr);
  menu->actions().back()->trigger();
  menu->close();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "strata c '&d'");
}

TEST(TagDialog, AsksBeforeItTakesATagFromAnotherVersion) {
  gui::Workbench bench;
  gui::TagDialog dialog(bench, "sst2:v2", {"lab"}, {"prod"});
  EXPECT_EQ(commandsOf(dialog), QStringList{"strata tag remove sst2:lab"});
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.show();
  QSignalSpy wanted(&dialog, &gui::TagDialog::addRequested);
  auto* tag = dialog.findChildren<QLineEdit*>().front();
  QTest::keyClicks(tag, "prod");
  EXPECT_EQ(commandsOf(dialog).front(), "strata tag sst2:v2 prod");
  QTest::keyClick(tag, Qt::Key_Return);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toString(), "prod");
  EXPECT_FALSE(wanted[0][2].toBool());
}

TEST(RenameDialog, TakesOnlyNamesThatAreFree) {
  gui::Workbench bench;
  gui::RenameDialog dialog(bench, "sst2", 2, {"base", "sst2"});
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.show();
  QSignalSpy wanted(&dialog, &gui::RenameDialog::renameRequested);
  auto* name = dialog.findChildren<QLineEdit*>().front();
  EXPECT_EQ(name->selectedText(), "sst2");
  for (const char* refused : {"sst2", "base", "a b", ".hidden", ""}) {
    name->setText(QString::fromLatin1(refused));
    QTest::keyClick(name, Qt::Key_Return);
    EXPECT_TRUE(commandsOf(dialog).isEmpty()) << refused;
  }
  EXPECT_EQ(wanted.count(), 0);
  name->setText("tone");
  EXPECT_EQ(commandsOf(dialog), QStringList{"strata rename sst2 tone"});
  QTest::keyClick(name, Qt::Key_Return);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toString(), "tone");
}

TEST(Theme, SwitchesThePaletteBothWays) {
  gui::applyTheme(gui::Theme::Dark);
  EXPECT_TRUE(gui::isDark(QGuiApplication::palette()));
  gui::applyTheme(gui::Theme::Light);
  EXPECT_FALSE(gui::isDark(QGuiApplication::palette()));
  for (const auto theme :
       {gui::Theme::System, gui::Theme::Light, gui::Theme::Dark, gui::Theme::Contrast}) {
    EXPECT_EQ(gui::themeFromName(gui::name(theme)), theme);
  }
}

/// WCAG 2.1, relative luminance.
double luminance(const QColor& color) {
  const auto part = [](double value) {
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a);
  const double y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Theme, DrawsBoxesThatADarkWindowDoesNotSwallow) {
  for (const auto theme : {gui::Theme::Dark, gui::Theme::Contrast}) {
    gui::applyTheme(theme);
    QCheckBox box;
    box.resize(box.sizeHint());
    const QImage image = box.grab().toImage();
    int brightest = 0;
    for (int x = 0; x < image.width(); ++x) {
      brightest = std::max(brightest, image.pixelColor(x, image.height() / 2).lightness());
    }
    const int window = QGuiApplication::palette().color(QPalette::Window).lightness();
    EXPECT_GT(brightest, window + 80) << gui::name(theme).toStdString();
  }
  gui::applyTheme(gui::Theme::Light);
}

TEST(Theme, KeepsTextReadable) {
  for (const auto theme : {gui::Theme::Dark, gui::Theme::Light}) {
    gui::applyTheme(theme);
    const QPalette palette = QGuiApplication::palette();
    const gui::ChartColors colors = gui::ChartColors::from(palette);
    const QColor base = palette.color(QPalette::Base);
    EXPECT_GE(contrast(palette.color(QPalette::Text), base), 4.5);
    EXPECT_GE(contrast(palette.color(QPalette::WindowText), palette.color(QPalette::Window)), 4.5);
    EXPECT_GE(
        contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)),
        4.5);
    EXPECT_GE(contrast(palette.color(QPalette::PlaceholderText), base), 4.5);
    for (const QColor& color : {colors.text, colors.faint, colors.alert, colors.third}) {
      EXPECT_GE(contrast(color, base), 4.5) << color.name().toStdString();
    }
  }
}

TEST(Icons, AreThereAndFollowThePalette) {
  EXPECT_FALSE(gui::icon("add").isNull());
  EXPECT_TRUE(gui::icon("no-such-icon").isNull());
  const auto ink = [] {
    const QImage image = gui::icon("add").pixmap(QSize(24, 24), 1.0).toImage();
    return image.pixelColor(12, 12).lightness();
  };
  gui::applyTheme(gui::Theme::Dark);
  const int onDark = ink();
  gui::applyTheme(gui::Theme::Light);
  EXPECT_GT(onDark, ink());
}

}  // namespace
}  // namespace strata::test
