#include "gui/models/lineage_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::LineageModel;
using Kind = LineageModel::Kind;
using Mode = QAbstractItemModelTester::FailureReportingMode;

QString shown(const LineageModel& model, const QModelIndex& index, int column = 0) {
  return model.data(index.siblingAtColumn(column)).toString();
}

TEST(LineageModel, ShowsBasesNamesAndVersionsNewestFirst) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeSnapshot({makeRow("base", 1), makeRow("sst2", 1, "base:v1"),
                                  makeRow("sst2", 2, "base:v1"), makeRow("ner", 1, "base:v1")}));
  ASSERT_EQ(model.rowCount(), 1);
  const QModelIndex base = model.index(0, 0);
  EXPECT_EQ(shown(model, base), "base");
  EXPECT_EQ(model.kind(base), Kind::Base);
  ASSERT_EQ(model.rowCount(base), 2);
  const QModelIndex ner = model.index(0, 0, base);
  EXPECT_EQ(shown(model, ner), "ner v1");
  EXPECT_EQ(model.kind(ner), Kind::Version);
  const QModelIndex sst2 = model.index(1, 0, base);
  EXPECT_EQ(model.kind(sst2), Kind::Name);
  ASSERT_EQ(model.rowCount(sst2), 2);
  EXPECT_EQ(shown(model, model.index(0, 0, sst2)), "v2");
  EXPECT_EQ(model.index(0, 0, sst2).data(gui::LabelRole).toString(), "sst2:v2");
  EXPECT_EQ(shown(model, sst2, LineageModel::StoredColumn), "30.0 kB");
}

TEST(LineageModel, MarksVersionsWhosePacksAreNotHere) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  std::vector<ListRow> rows{makeRow("base", 1), makeRow("sst2", 1, "base:v1"),
                            makeRow("sst2", 2, "base:v1"), makeRow("ner", 1, "base:v1")};
  rows[2].awaited = {1, 17'100'000, 17'100'000};
  model.setSnapshot(makeSnapshot(rows));
  const QModelIndex base = model.index(0, 0);
  const int here = LineageModel::HereColumn;
  EXPECT_EQ(shown(model, base, here), "yes");
  const QModelIndex sst2 = model.index(1, 0, base);
  EXPECT_EQ(shown(model, sst2, here), "1 of 2 not here");
  const QModelIndex lazy = model.index(0, 0, sst2);
  EXPECT_EQ(shown(model, lazy, here), "no, 17.1 MB");
  EXPECT_TRUE(
      lazy.siblingAtColumn(here).data(Qt::ToolTipRole).toString().contains("17,100,000 bytes"));
  EXPECT_EQ(shown(model, model.index(1, 0, sst2), here), "yes");
  model.sort(here, Qt::DescendingOrder);
  EXPECT_EQ(shown(model, model.index(0, 0, model.index(0, 0))), "sst2  (2 versions)");
}

TEST(LineageModel, SaysThatAVersionSharesWhatAnotherStored) {
  LineageModel model;
  std::vector<ListRow> rows{makeRow("base", 1), makeRow("sst2", 1, "base:v1"),
                            makeRow("copy", 1, "base:v1")};
  rows[2].version.storedBytes = 0;
  rows[2].taken = TakenBytes{.own = 0, .shared = 15'000};
  model.setSnapshot(makeSnapshot(rows));
  const QModelIndex base = model.index(0, 0);
  const QModelIndex copy = model.index(0, 0, base);
  ASSERT_EQ(shown(model, copy), "copy v1");
  EXPECT_EQ(shown(model, copy, LineageModel::StoredColumn), "shares 15.0 kB");
  EXPECT_EQ(shown(model, copy, LineageModel::RatioColumn), "-");
  EXPECT_EQ(shown(model, model.index(1, 0, base), LineageModel::StoredColumn), "10.0 kB");
}

TEST(LineageModel, ShowsVersionsWhoseBaseIsMissing) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeSnapshot({makeRow("lost", 1, "@3ab0")}));
  ASSERT_EQ(model.rowCount(), 1);
  EXPECT_EQ(shown(model, model.index(0, 0)), "lost v1");
}

TEST(LineageModel, FoldsManySiblingsAndUnfoldsThem) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeLibrary(60, 1));
  const QModelIndex base = model.index(0, 0);
  ASSERT_EQ(model.rowCount(base), LineageModel::kMostSiblings + 1);
  const QModelIndex more = model.index(LineageModel::kMostSiblings, 0, base);
  EXPECT_EQ(model.kind(more), Kind::More);
  EXPECT_TRUE(shown(model, more).contains("40")) << shown(model, more).toStdString();
  QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
  model.unfold(more);
  EXPECT_EQ(inserted.count(), 1);
  EXPECT_EQ(model.rowCount(base), 60);
}

TEST(LineageModel, FindsFoldedVersions) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeLibrary(60, 3));
  const QModelIndex found = model.find("tuned-59:v2");
  ASSERT_TRUE(found.isValid());
  EXPECT_EQ(found.data(gui::LabelRole).toString(), "tuned-59:v2");
  EXPECT_FALSE(model.find("tuned-60:v1").isValid());
}

TEST(LineageModel, FiltersByAllWordsInNameTagNoteAndHash) {
  std::vector<ListRow> rows{makeRow("base", 1), makeRow("sst2", 1, "base:v1"),
                            makeRow("ner", 1, "base:v1")};
  rows[1].version.tags = {"prod"};
  rows[2].version.note = "Three epochs";
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeSnapshot(rows));
  const auto only = [&](const QString& words) -> QString {
    model.setFilter(words);
    if (model.shownVersions() != 1) return QString::number(model.shownVersions());
    return shown(model, model.index(0, 0, model.index(0, 0)));
  };
  EXPECT_EQ(only("PROD"), "sst2 v1");
  EXPECT_EQ(only("epochs ner"), "ner v1");
  EXPECT_EQ(only(QString::fromStdString(shortHex(rows[1].version.contentDigest))), "sst2 v1");
  EXPECT_EQ(only("epochs sst2"), "0");
  EXPECT_EQ(model.rowCount(), 0);
  model.setFilter({});
  EXPECT_EQ(model.shownVersions(), 3);
}

TEST(LineageModel, ShowsWhatWasNotCheckedLately) {
  ListRow old = makeRow("old", 1, "base:v1");
  ListRow checked = makeRow("checked", 1, "base:v1");
  checked.version.checkedAt = checked.version.addedAt + 1'000'000;
  auto snapshot = std::make_shared<gui::StoreSnapshot>(
      *makeSnapshot({makeRow("base", 1), std::move(old), checked}));
  snapshot->checkedLatelySince = checked.version.checkedAt;
  gui::LineageModel model;
  model.setSnapshot(snapshot);
  EXPECT_EQ(model.shownVersions(), 3);
  model.setShown(gui::LineageModel::Shown::Unchecked);
  EXPECT_EQ(model.shownVersions(), 2);
  EXPECT_TRUE(model.find("old:v1").isValid());
  EXPECT_FALSE(model.find("checked:v1").isValid());
}

TEST(LineageModel, ShowsOnlyTaggedVersionsUnderTheirBase) {
  std::vector<ListRow> rows{makeRow("base", 1), makeRow("sst2", 1, "base:v1"),
                            makeRow("ner", 1, "base:v1")};
  rows[2].version.tags = {"lab", "prod"};
  LineageModel model;
  model.setSnapshot(makeSnapshot(rows));
  model.setShown(gui::LineageModel::Shown::Tagged);
  ASSERT_EQ(model.rowCount(model.index(0, 0)), 1);
  const QModelIndex ner = model.index(0, 0, model.index(0, 0));
  EXPECT_EQ(shown(model, ner, LineageModel::TagsColumn), "lab +1");
}

TEST(LineageModel, SortsSiblingsByTheRawNumber) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  std::vector<ListRow> rows{makeRow("base", 1), makeRow("a", 1, "base:v1"),
                            makeRow("b", 1, "base:v1"), makeRow("c10", 1, "base:v1"),
                            makeRow("c9", 1, "base:v1")};
  rows[1].version.storedBytes = 9'000;
  rows[2].version.storedBytes = 10'000'000;
  rows[3].version.storedBytes = 100'000;
  rows[4].version.storedBytes = 5;
  model.setSnapshot(makeSnapshot(rows));
  const auto order = [&] {
    QStringList names;
    for (int i = 0; i < 4; ++i) names << shown(model, model.index(i, 0, model.index(0, 0)));
    return names.join(' ');
  };
  EXPECT_EQ(order(), "a v1 b v1 c9 v1 c10 v1");
  model.sort(LineageModel::StoredColumn, Qt::DescendingOrder);
  EXPECT_EQ(order(), "b v1 c10 v1 a v1 c9 v1");
}

TEST(LineageModel, TakesTenThousandVersions) {
  LineageModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(makeLibrary(1000, 10));
  EXPECT_EQ(model.shownVersions(), 10'002);
  model.setFilter("tuned-999 v7");
  EXPECT_EQ(model.shownVersions(), 1);
}

TEST(LineageModel, AlignsNumbersRightAndTitlesToo) {
  LineageModel model;
  model.setSnapshot(makeLibrary(1, 2));
  for (int i = 0; i < model.columnCount(); ++i) {
    const auto cell = model.index(0, i).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    const auto title =
        model.headerData(i, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
    EXPECT_EQ(cell, title) << i;
    const bool isNumber = i >= LineageModel::OriginalColumn && i <= LineageModel::ChangeColumn;
    EXPECT_EQ(cell.testFlag(Qt::AlignRight), isNumber) << i;
    EXPECT_FALSE(model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
  }
}

}  // namespace
}  // namespace strata::test
