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
#include <functional>

#include "gui/main_window.h"
#include "gui/models/columns/version_columns.h"
#include "gui/models/lineage_model.h"
#include "gui/pages/library_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/views/capped_text.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/table_view.h"
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
    model_.setSnapshot(library_);
    QCoreApplication::processEvents();
  }
  void choose(const QStringList& labels) {
    view_.selectionModel()->clear();
    for (const QString& label : labels) {
      view_.selectionModel()->select(model_.find(label),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
  }

  /// The first visible row.
  QString top() const { return model_.key(view_.indexAt({0, 0}).siblingAtColumn(0)); }
  /// Adds rows to the library, or takes those away that `goes` says, as another program does.
  void change(
      std::vector<ListRow> more,
      const std::function<bool(const ListRow&)>& goes = [](const auto&) { return false; }) {
    auto next = std::make_shared<gui::StoreSnapshot>(*library_);
    std::erase_if(next->rows, goes);
    for (ListRow& row : more) next->rows.push_back(std::move(row));
    library_ = next;
    model_.setSnapshot(library_);
    QCoreApplication::processEvents();
  }

  gui::SnapshotPtr library_ = makeLibrary(20, 3);
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

TEST_F(SteadyLibrary, HoldsTheFirstVisibleRowWhateverComesAboveIt) {
  for (const int scrolled : {2, 25, 40, 60}) {
    view_.verticalScrollBar()->setValue(scrolled);
    const QString first = top();
    choose({"tuned-3:v1", "tuned-19:v2"});
    const std::string name = "a-" + std::to_string(scrolled);
    change({makeRow(name, 1, "base:v1")});
    EXPECT_EQ(top(), first) << scrolled << ": a name above";
    change({makeRow(name, 2, "base:v1"), makeRow(name, 3, "base:v1")});
    EXPECT_EQ(top(), first) << scrolled << ": more versions of it";
    change({makeRow("tuned-0", 10 + static_cast<std::uint32_t>(scrolled), "base:v1")});
    EXPECT_EQ(top(), first) << scrolled << ": a version of a name that is there";
    change({makeRow("a-base-" + std::to_string(scrolled), 1)});
    EXPECT_EQ(top(), first) << scrolled << ": a base";
    change({}, [&](const ListRow& row) { return row.version.name == name; });
    EXPECT_EQ(top(), first) << scrolled << ": what came goes";
    EXPECT_EQ(view_.selectedLabels(), QStringList({"tuned-3:v1", "tuned-19:v2"}));
  }
}

TEST_F(SteadyLibrary, HoldsTheNextRowWhereTheFirstVisibleOneGoes) {
  const QModelIndex gone = model_.find("tuned-5:v2");
  view_.scrollTo(gone, QAbstractItemView::PositionAtTop);
  ASSERT_EQ(top(), model_.key(gone));
  const QModelIndex next = model_.find("tuned-5:v1");
  const int place = view_.visualRect(next).top();
  change({makeRow("a", 1, "base:v1")},
         [](const ListRow& row) { return row.version.label() == "tuned-5:v2"; });
  EXPECT_EQ(view_.visualRect(model_.find("tuned-5:v1")).top(), place);
}

TEST_F(SteadyLibrary, HoldsItsPlaceWhereTheFirstVisibleRowBecomesAGroup) {
  change({makeRow("b", 1, "base:v1")});
  view_.scrollTo(model_.find("b:v1"), QAbstractItemView::PositionAtTop);
  ASSERT_TRUE(top().endsWith("b:v1"));
  change({makeRow("b", 2, "base:v1"), makeRow("a", 1, "base:v1")});
  EXPECT_TRUE(top().endsWith("b:v1")) << top().toStdString();
}

TEST_F(SteadyLibrary, FoldsNoRowAwayThatIsInSightOrSelected) {
  const auto versions = [](std::uint32_t from, std::uint32_t to) {
    std::vector<ListRow> rows;
    for (std::uint32_t i = from; i <= to; ++i) rows.push_back(makeRow("run", i, "base:v1"));
    return rows;
  };
  change(versions(1, 21));  // one more would fold
  choose({"run:v1", "run:v2"});
  view_.scrollTo(model_.find("run:v1"), QAbstractItemView::PositionAtTop);
  const QString first = top();
  for (std::uint32_t i = 22; i < 40; ++i) {
    change(versions(i, i));
    EXPECT_EQ(top(), first) << i;
    EXPECT_EQ(view_.selectedLabels().size(), 2) << i;
  }
  // Elsewhere in the list the same name folds.
  view_.selectionModel()->clear();
  view_.scrollToTop();
  change(versions(40, 60));
  const QModelIndex run = model_.find("run:v60").parent();
  EXPECT_LT(model_.rowCount(run), 60);
}

TEST_F(SteadyLibrary, KeepsOpenWhatIsOpenHoweverManyNamesCome) {
  const auto names = [](const std::string& prefix, int count) {
    std::vector<ListRow> rows;
    for (int i = 0; i < count; ++i) {
      const std::string base = prefix + std::to_string(1000 + i);
      for (std::uint32_t v : {1U, 2U}) rows.push_back(makeRow(base, v, "base:v1"));
    }
    return rows;
  };
  change(names("x", 300));
  model_.unfold(model_.index(model_.rowCount(model_.index(0, 0)) - 1, 0, model_.index(0, 0)));
  QModelIndex last = model_.find("x1299:v1");
  view_.setExpanded(last.parent(), true);
  view_.scrollTo(last, QAbstractItemView::PositionAtTop);
  const QString first = top();
  change(names("a", 40));
  EXPECT_EQ(top(), first);
  EXPECT_TRUE(view_.isExpanded(model_.find("x1299:v1").parent()));
}

TEST_F(SteadyLibrary, KeepsWhatWasUnfolded) {
  view_.scrollToBottom();  // what is in sight does not fold
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

TEST(TableView, HoldsTheNextRowWhereTheFirstVisibleOneGoes) {
  gui::TableView view("Versions");
  auto* table = gui::makeVersionTable(&view);
  view.setRecords(table);
  view.keepPlace();
  view.resize(400, 200);
  view.show();
  std::vector<ListRow> rows;
  for (std::uint32_t i = 1; i <= 60; ++i) rows.push_back(makeRow("a", i));
  table->setRows(rows);
  QCoreApplication::processEvents();
  view.scrollTo(view.model()->index(30, 0), QAbstractItemView::PositionAtTop);
  ASSERT_EQ(view.indexAt({0, 0}).siblingAtColumn(0).data().toString(), "a:v31");
  rows.erase(rows.begin() + 30);
  rows.insert(rows.begin(), makeRow("b", 1));
  table->setRows(rows);
  QCoreApplication::processEvents();
  const QModelIndex next = view.indexAt({0, view.rowHeight(1)});
  EXPECT_EQ(next.siblingAtColumn(0).data().toString(), "a:v32");
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
