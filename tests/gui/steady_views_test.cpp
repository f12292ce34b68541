// What stays where it is: lists that are read anew, pages with long messages, small windows.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMap>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "gui/main_window.h"
#include "gui/models/lineage_model.h"
#include "gui/models/version_columns.h"
#include "gui/pages/library_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/capped_text.h"
#include "gui/widgets/flow_layout.h"
#include "gui/widgets/lineage_view.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

QString manyLines(int count) {
  QStringList lines;
  for (int i = 0; i < count; ++i) lines << QStringLiteral("problem number %1").arg(i);
  return lines.join(u'\n');
}

TEST(Banner, StaysLowHoweverMuchItSays) {
  QWidget page;
  auto* column = new QVBoxLayout(&page);
  auto* banner = new gui::Banner;
  column->addWidget(new QWidget, 1);
  column->addWidget(banner);
  page.resize(700, 500);
  page.show();
  banner->showNotice(gui::Banner::Kind::Trouble, "One thing", "is wrong");
  QCoreApplication::processEvents();
  const int low = banner->height();
  EXPECT_LT(low, 80);
  banner->showNotice(gui::Banner::Kind::Trouble, "Much is wrong", manyLines(500));
  QCoreApplication::processEvents();
  EXPECT_GT(banner->height(), low);
  EXPECT_LT(banner->height(), 240);
  EXPECT_EQ(page.height(), 500);
  const auto* text = banner->findChild<gui::CappedText*>();
  EXPECT_GT(text->verticalScrollBar()->maximum(), 0) << "the rest is reached by scrolling";
  EXPECT_TRUE(banner->text().contains("number 199"));
  EXPECT_TRUE(banner->text().contains("... and 300 more line")) << "not all of thousands";
  for (auto* button : banner->findChildren<QPushButton*>()) {
    if (button->text() == "Copy all") button->click();
  }
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("number 499"));
}

TEST(Banner, PutsButtonsInRowsOfTwo) {
  gui::Banner banner;
  banner.resize(700, 100);
  banner.showNotice(gui::Banner::Kind::Notice, "What now?");
  for (const char* text : {"one", "two", "three", "four"}) banner.addAction(text, [] {});
  QCoreApplication::processEvents();
  QMap<int, int> rows;
  for (const auto* button : banner.findChildren<QPushButton*>()) ++rows[button->y()];
  EXPECT_EQ(rows.size(), 2);
  for (const int inRow : rows) EXPECT_EQ(inRow, 2);
}

TEST(MainWindow, FitsTheScreenWhateverWasKeptOfAnotherOne) {
  const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
  gui::Preferences kept;
  {
    gui::MainWindow large{gui::Preferences{}};
    large.setGeometry(room.x() + 40, room.y() + 60, room.width() + 900, room.height() + 2000);
    kept.geometry = large.saveGeometry();
  }
  const gui::MainWindow window{kept};
  EXPECT_TRUE(room.contains(window.geometry()))
      << window.width() << "x" << window.height() << " on " << room.width() << "x" << room.height();
}

class SteadyLibrary : public ::testing::Test {
 protected:
  SteadyLibrary() {
    view_.resize(600, 300);
    view_.show();
    model_.setSnapshot(makeLibrary(20, 3));
    QCoreApplication::processEvents();
  }
  void choose(const QStringList& labels) {
    view_.selectionModel()->clear();
    for (const QString& label : labels) {
      view_.selectionModel()->select(model_.find(label),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
  }

  gui::LineageModel model_;
  gui::LineageView view_{&model_};
};

TEST_F(SteadyLibrary, KeepsAllSelectedRowsAndItsPlaceOverAChangeFromOutside) {
  const QStringList chosen{"tuned-3:v1", "tuned-3:v2", "tuned-9:v3"};
  choose(chosen);
  view_.verticalScrollBar()->setValue(25);
  model_.setSnapshot(makeLibrary(21, 4));
  EXPECT_EQ(view_.selectedLabels().size(), 3);
  for (const QString& label : chosen) EXPECT_TRUE(view_.selectedLabels().contains(label));
  EXPECT_GE(view_.verticalScrollBar()->value(), 25) << "it did not jump to the selection";
}

TEST_F(SteadyLibrary, KeepsWhatWasUnfolded) {
  model_.setSnapshot(makeLibrary(2, 40));
  const QModelIndex name = model_.index(0, 0, model_.index(0, 0));
  ASSERT_EQ(model_.kind(name), gui::LineageModel::Kind::Name);
  EXPECT_LT(model_.rowCount(name), 40);
  choose({"tuned-0:v1"});  // is behind the fold
  EXPECT_EQ(model_.rowCount(model_.index(0, 0, model_.index(0, 0))), 40);
  model_.setSnapshot(makeLibrary(2, 41));
  EXPECT_EQ(model_.rowCount(model_.index(0, 0, model_.index(0, 0))), 41);
  EXPECT_EQ(view_.selectedLabels(), QStringList{"tuned-0:v1"});
}

TEST_F(SteadyLibrary, StandsForAllVersionsOfANameByItsRow) {
  const QModelIndex name = model_.index(0, 0, model_.index(0, 0));
  view_.setCurrentIndex(name);
  EXPECT_EQ(view_.selectedLabels(), QStringList{"tuned-0:v3"});
  EXPECT_EQ(view_.selectedVersions(), QStringList({"tuned-0:v3", "tuned-0:v2", "tuned-0:v1"}));
  choose({"tuned-0:v2"});
  EXPECT_EQ(view_.selectedVersions(), QStringList{"tuned-0:v2"});
}

TEST_F(SteadyLibrary, KeepsNamesInSightWhenAFarColumnIsClicked) {
  for (int i = 0; i < model_.columnCount(); ++i) view_.setColumnWidth(i, 150);
  ASSERT_GT(view_.horizontalScrollBar()->maximum(), 0);
  const QModelIndex row = model_.index(1, 0, model_.index(0, 0));
  const QModelIndex note = row.siblingAtColumn(3);
  view_.scrollTo(note);
  QTest::mouseClick(view_.viewport(), Qt::LeftButton, {}, view_.visualRect(note).center());
  view_.setCurrentIndex(row.siblingAtColumn(gui::LineageModel::NoteColumn));
  EXPECT_EQ(view_.horizontalScrollBar()->value(), 0);
}

TEST_F(SteadyLibrary, MarksWhatACheckFoundDamaged) {
  auto snapshot = std::make_shared<gui::StoreSnapshot>(*makeLibrary(2, 2));
  for (ListRow& row : snapshot->rows) {
    row.version.manifestDigest = row.version.contentDigest;
    if (row.version.label() == "tuned-1:v1") snapshot->damaged[row.version.manifestDigest] = 5;
  }
  model_.setSnapshot(snapshot);
  const auto fidelity = [this](const QModelIndex& row) {
    return row.siblingAtColumn(gui::LineageModel::FidelityColumn).data().toString();
  };
  const QModelIndex damaged = model_.find("tuned-1:v1");
  EXPECT_EQ(fidelity(damaged), "DAMAGED");
  EXPECT_TRUE(damaged.data(gui::MarkRole).toBool());
  EXPECT_EQ(fidelity(damaged.parent()), "DAMAGED in part");
  EXPECT_EQ(fidelity(model_.find("tuned-0:v1")), "exact");
  EXPECT_FALSE(model_.find("tuned-1:v2").data(gui::MarkRole).toBool());
  model_.setShown(gui::LineageModel::Shown::Unchecked);
  EXPECT_TRUE(model_.find("tuned-1:v1").isValid()) << "it is not known to be sound";
}

TEST(TableView, KeepsSelectionAndPlaceWhereAListIsReadAnewUnasked) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  view.keepPlace();
  view.resize(400, 200);
  view.show();
  const auto rows = [](std::uint32_t count) {
    std::vector<ListRow> all;
    for (std::uint32_t i = 1; i <= count; ++i) all.push_back(makeRow("a", i));
    return all;
  };
  table->setRows(rows(60));
  view.selectRow(40);
  view.selectionModel()->select(view.model()->index(42, 0),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  const QString top = view.indexAt({0, 0}).siblingAtColumn(0).data().toString();
  std::vector<ListRow> more = rows(60);
  more.insert(more.begin(), makeRow("b", 1));
  table->setRows(std::move(more));
  EXPECT_EQ(view.selectedRows(), QList<int>({41, 43}));
  EXPECT_EQ(view.currentRow(), 41);
  EXPECT_EQ(view.indexAt({0, 0}).siblingAtColumn(0).data().toString(), top);
}

TEST(FlowLayout, TakesAsManyRowsAsItNeeds) {
  QWidget bar;
  auto* flow = new gui::FlowLayout(&bar);
  QList<QLabel*> labels;
  for (int i = 0; i < 6; ++i) {
    labels << new QLabel;
    labels.back()->setFixedSize(100, 20);
    flow->addWidget(labels.back());
  }
  EXPECT_EQ(flow->heightForWidth(700), 20);
  EXPECT_EQ(flow->heightForWidth(330), 46);
  EXPECT_EQ(flow->minimumSize().width(), 100);
  bar.resize(330, 50);
  bar.show();
  QCoreApplication::processEvents();
  EXPECT_EQ(labels[0]->y(), labels[2]->y());
  EXPECT_GT(labels[3]->y(), labels[2]->y());
  EXPECT_EQ(labels[3]->x(), labels[0]->x());
  labels[1]->hide();
  QCoreApplication::processEvents();
  EXPECT_EQ(labels[3]->y(), labels[0]->y()) << "what is hidden takes no room";
}

TEST(FlowLayout, GivesWhatIsLeftToWhatExpands) {
  QWidget bar;
  auto* flow = new gui::FlowLayout(&bar);
  auto* wide = new QLabel;
  wide->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* narrow = new QLabel;
  narrow->setFixedSize(50, 20);
  flow->addWidget(wide);
  flow->addWidget(narrow);
  bar.resize(400, 40);
  bar.show();
  QCoreApplication::processEvents();
  EXPECT_EQ(narrow->geometry().right(), 399);
  EXPECT_GT(wide->width(), 300);
}

}  // namespace
}  // namespace strata::test
