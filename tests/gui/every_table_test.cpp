// What holds for each table of the window: a sound model, every column sorts by value, the filter
// finds rows by what they are called, no cell is empty without reason.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QObject>

#include "gui/models/columns/diff_columns.h"
#include "gui/models/columns/file_columns.h"
#include "gui/models/columns/hit_columns.h"
#include "gui/models/columns/object_columns.h"
#include "gui/models/columns/operation_columns.h"
#include "gui/models/columns/prune_columns.h"
#include "gui/models/columns/remote_columns.h"
#include "gui/models/columns/tensor_columns.h"
#include "gui/models/columns/trial_columns.h"
#include "gui/models/columns/version_columns.h"
#include "gui/models/row_filter_proxy.h"
#include "gui/models/wording.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

/// Rows numbered 1, 2, 10 in one of their columns, so that words and values sort differently.
constexpr unsigned kNumbers[] = {2, 10, 1};

std::string named(const std::string& word, unsigned number) {
  return word + "." + std::to_string(number);
}

QAbstractItemModel* versions(QObject* owner) {
  auto* table = gui::makeVersionTable(owner);
  for (const unsigned n : kNumbers) table->append(makeRow(named("v", n), n, "base:v1"));
  return table;
}

QAbstractItemModel* tensors(QObject* owner) {
  auto* table = gui::makeTensorTable(owner);
  for (const unsigned n : kNumbers) {
    TensorRow row;
    row.name = named("layer", n);
    row.type = ElementType::F32;
    row.shape = {n, 100};
    row.originalBytes = n * 400;
    row.storedBytes = n * 30;
    row.changedShare = 0.01 * n;
    row.relativeChange = 0.001 * n;
    row.codec = "integer";
    table->append(row);
  }
  return table;
}

QAbstractItemModel* differences(QObject* owner) {
  auto* table = gui::makeDiffTable(owner);
  for (const unsigned n : kNumbers) {
    gui::DiffRow row;
    row.fromBaseA = 0.001 * n;
    row.name = named("layer", n);
    row.wordCount = 100;
    row.changedWords = n;
    row.storedBytesB = n * 10;
    table->append(row);
  }
  return table;
}

QAbstractItemModel* objects(QObject* owner) {
  auto* table = gui::makeObjectTable(owner);
  std::vector<ObjectRow> rows;
  for (const unsigned n : kNumbers) {
    ObjectRow row{.digest = makeRow(named("o", n), n).version.contentDigest, .byteCount = n * 1000};
    row.usedBy = {named("used", n) + ":v1"};
    rows.push_back(row);
  }
  table->setRows(gui::objectStates(rows, nullptr));
  return table;
}

QAbstractItemModel* remotes(QObject* owner) {
  auto* table = gui::makeRemoteTable(owner);
  for (const unsigned n : kNumbers) {
    gui::RemoteRow row;
    row.version.ref.name = named("far", n);
    row.version.ref.number = n;
    row.version.ref.addedAt = 1'700'000'000 + n * 86'400;
    row.version.ref.note = "note";
    row.version.format = "safetensors";
    row.version.originalBytes = n * 5000;
    row.neededBytes = n * 7;
    row.tags = {"prod"};
    table->append(row);
  }
  return table;
}

QAbstractItemModel* hubFiles(QObject* owner) {
  auto* table = gui::makeHubFileTable(owner);
  for (const unsigned n : kNumbers) table->append({named("file", n), n * 1000});
  return table;
}

QAbstractItemModel* hits(QObject* owner) {
  auto* table = gui::makeHitTable(owner);
  for (const unsigned n : kNumbers) {
    gui::FoundRow hit;
    hit.url = "hf://acme/" + gui::text(named("m", n));
    hit.downloads = n;
    hit.fetchBytes = n * 1000;
    table->append(hit);
  }
  return table;
}

QAbstractItemModel* trials(QObject* owner) {
  auto* table = gui::makeTrialTable(owner);
  for (const unsigned n : kNumbers) {
    Trial trial;
    trial.number = n;
    trial.what = named("step scale", n);
    trial.measured.storedBytes = n * 2000;
    trial.measured.relativeError = 0.05 * n;
    table->append(trial);
  }
  return table;
}

QAbstractItemModel* operations(QObject* owner) {
  auto* table = gui::makeOperationTable(owner);
  for (const unsigned n : kNumbers) {
    Operation one = makeOperation("remove", named("v", n) + ":v1");
    one.id = n;
    one.at = 1'700'000'000 + n * 86'400;
    one.isUndone = n == 1;
    table->append(one);
  }
  return table;
}

QAbstractItemModel* pruned(QObject* owner) {
  auto* table = gui::makePruneTable(owner);
  for (const unsigned n : kNumbers) {
    PruneReport::Row row{makeRow(named("v", n), n, "base:v1").version, {}};
    if (n == 10) row.reasons = {"last 1", "every 10", "tag prod", "best accuracy 0.9"};
    table->append(row);
  }
  return table;
}

struct Sample {
  const char* name;
  QAbstractItemModel* (*make)(QObject* owner);
};

class EveryTable : public ::testing::TestWithParam<Sample> {
 protected:
  EveryTable() : table_(GetParam().make(&owner_)) { proxy_.setSourceModel(table_); }

  QObject owner_;
  QAbstractItemModel* table_;
  gui::RowFilterProxy proxy_;
};

TEST_P(EveryTable, IsASoundModelThroughSortingAndFiltering) {
  const QAbstractItemModelTester tester(table_, Mode::Fatal);
  const QAbstractItemModelTester proxyTester(&proxy_, Mode::Fatal);
  for (int column = 0; column < table_->columnCount(); ++column) {
    proxy_.sort(column, Qt::DescendingOrder);
    proxy_.setFilter("10");
    proxy_.sort(column, Qt::AscendingOrder);
    proxy_.setFilter({});
    ASSERT_EQ(proxy_.rowCount(), 3);
  }
}

TEST_P(EveryTable, SortsEveryColumnByValueBothWays) {
  for (int column = 0; column < table_->columnCount(); ++column) {
    SCOPED_TRACE(table_->headerData(column, Qt::Horizontal).toString().toStdString());
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      proxy_.sort(column, order);
      for (int row = 1; row < proxy_.rowCount(); ++row) {
        QVariant first = proxy_.index(row - 1, column).data(gui::SortRole);
        QVariant second = proxy_.index(row, column).data(gui::SortRole);
        if (order == Qt::DescendingOrder) std::swap(first, second);
        if (first.typeId() == QMetaType::QString) continue;  // by words, and numbers in them
        EXPECT_LE(first.toDouble(), second.toDouble());
      }
    }
  }
}

TEST_P(EveryTable, HasTitlesAndNumbersToTheRight) {
  for (int column = 0; column < table_->columnCount(); ++column) {
    EXPECT_FALSE(table_->headerData(column, Qt::Horizontal).toString().isEmpty()) << column;
    const QVariant title = table_->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
    const QVariant cell = table_->index(0, column).data(Qt::TextAlignmentRole);
    EXPECT_EQ(title.toInt(), cell.toInt()) << column;
    const bool isNumber =
        table_->index(0, column).data(gui::SortRole).typeId() == QMetaType::Double;
    if (isNumber) {
      EXPECT_TRUE(cell.toInt() & Qt::AlignRight) << column;
    }
  }
  EXPECT_FALSE(table_->headerData(table_->columnCount(), Qt::Horizontal).isValid());
  EXPECT_FALSE(table_->index(0, 0).data(Qt::DecorationRole).isValid());
}

TEST_P(EveryTable, FindsARowByItsName) {
  const QString name = table_->index(1, 0).data(gui::FilterRole).toString();
  ASSERT_FALSE(name.isEmpty());
  proxy_.setFilter(name);
  EXPECT_GE(proxy_.rowCount(), 1);
  EXPECT_LT(proxy_.rowCount(), 3);
  proxy_.setFilter("no such words");
  EXPECT_EQ(proxy_.rowCount(), 0);
}

TEST(PruneTable, SaysWhyAVersionStaysAndMarksWhatGoes) {
  QObject owner;
  const QAbstractItemModel* table = pruned(&owner);
  const auto cell = [&](int row, int column) { return table->index(row, column).data(); };
  EXPECT_EQ(cell(0, 1).toString(), "goes");
  EXPECT_TRUE(table->index(0, 0).data(gui::MarkRole).toBool());
  EXPECT_EQ(cell(1, 1).toString(), "stays");
  EXPECT_EQ(cell(1, 2).toString(), "newest 1, every 10, tag prod, best accuracy 0.9");
  EXPECT_FALSE(table->index(1, 0).data(gui::MarkRole).toBool());
}

TEST(OperationText, NamesTheOperationAndTheFirstOfManyVersions) {
  Operation prune = makeOperation("prune", "a:v1, a:v2, a:v3, a:v4");
  for (std::uint32_t n = 1; n <= 4; ++n) prune.versions.push_back({"a", n, {}, {}, {}});
  EXPECT_EQ(gui::operationText(prune), "prune of a:v1, a:v2 and 2 more");
  Operation rename = makeOperation("rename", "a to b");
  rename.renamedFrom = "a";
  rename.renamedTo = "b";
  EXPECT_EQ(gui::operationText(rename), "rename of a to b");
  EXPECT_EQ(gui::changeTexts(rename, gui::Sense::Back), QStringList{"b is called a"});
  EXPECT_EQ(gui::operationText(makeOperation("of tomorrow", "x")), "of tomorrow of x");
}

TEST(OperationText, SaysWhatAnOperationChangedAndWhatTakingItBackChanges) {
  using Where = VersionState::Where;
  Operation add = makeOperation("add", "a:v1");
  add.versions.push_back({"a", 1, {}, {}, {.where = Where::Live, .note = "hello"}});
  EXPECT_EQ(gui::changeTexts(add, gui::Sense::Done), QStringList{"a:v1: new"});
  EXPECT_EQ(gui::changeTexts(add, gui::Sense::Back), QStringList{"a:v1: to the trash"});
  EXPECT_EQ(gui::changeTexts(add, gui::Sense::Again), QStringList{"a:v1: out of the trash"});
  Operation note = makeOperation("note", "a:v1");
  note.versions.push_back(
      {"a", 1, {}, {.where = Where::Live}, {.where = Where::Live, .note = "hello"}});
  EXPECT_EQ(gui::changeTexts(note, gui::Sense::Done), QStringList{"a:v1: note \"hello\""});
  EXPECT_EQ(gui::changeTexts(note, gui::Sense::Back), QStringList{"a:v1: no note"});
  Operation tag = makeOperation("tag", "a:prod");
  tag.tags.push_back({"a", "prod", TagRef{"a", "prod", 1, {}, 0}, TagRef{"a", "prod", 2, {}, 0}});
  EXPECT_EQ(gui::changeTexts(tag, gui::Sense::Back), QStringList{"tag a:prod: v1 instead of v2"});
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryTable,
                         ::testing::Values(Sample{"Versions", versions}, Sample{"Tensors", tensors},
                                           Sample{"Differences", differences},
                                           Sample{"Objects", objects}, Sample{"Remotes", remotes},
                                           Sample{"Hits", hits}, Sample{"HubFiles", hubFiles},
                                           Sample{"Trials", trials},
                                           Sample{"Operations", operations},
                                           Sample{"Pruned", pruned}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace strata::test
