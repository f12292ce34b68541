#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QObject>

#include "gui/models/columns/diff_columns.h"
#include "gui/models/columns/object_columns.h"
#include "gui/models/columns/tensor_columns.h"
#include "gui/models/columns/version_columns.h"
#include "gui/models/layer_bits.h"
#include "gui/models/row_filter_proxy.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::RowFilterProxy;
using Mode = QAbstractItemModelTester::FailureReportingMode;

TensorRow tensor(const std::string& name, std::uint64_t side, std::uint64_t storedBytes,
                 TensorState state = TensorState::Changed) {
  TensorRow row;
  row.name = name;
  row.type = ElementType::F32;
  row.shape = {side, side};
  row.state = state;
  row.originalBytes = side * side * 4;
  row.storedBytes = storedBytes;
  row.changedShare = 0.25;
  row.relativeChange = 0.01;
  row.codec = "integer";
  return row;
}

/// Texts of the first column, in the proxy's order.
QStringList firstColumn(const QAbstractItemModel& model) {
  QStringList texts;
  for (int i = 0; i < model.rowCount(); ++i) texts << model.index(i, 0).data().toString();
  return texts;
}

/// Number of the column with this title; -1 if there is none.
int columnOf(const QAbstractItemModel& model, const QString& title) {
  for (int i = 0; i < model.columnCount(); ++i) {
    if (model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString() == title) return i;
  }
  return -1;
}

TEST(TensorTable, WordsNumbersAsTheCommandLineDoes) {
  QObject owner;
  auto* table = gui::makeTensorTable(&owner);
  const QAbstractItemModelTester tester(table, Mode::Fatal);
  table->setRows({tensor("layer.1.weight", 100, 5'000)});
  const auto cell = [&](const QString& title) {
    return table->index(0, columnOf(*table, title)).data().toString();
  };
  EXPECT_EQ(cell("Shape"), "100x100");
  EXPECT_EQ(cell("Original"), "40.0 kB");
  EXPECT_EQ(cell("Stored"), "5.0 kB");
  EXPECT_EQ(cell("Bits"), "4.00");
  EXPECT_EQ(cell("Ratio"), "8.0x");
  EXPECT_EQ(cell("Changed"), "25 %");
  EXPECT_EQ(cell("State"), "delta");
  EXPECT_DOUBLE_EQ(table->index(0, columnOf(*table, "Changed")).data(gui::ShareRole).toDouble(),
                   0.25);
}

TEST(RowFilterProxy, CountsInNamesAndSortsNumbersByValue) {
  QObject owner;
  auto* table = gui::makeTensorTable(&owner);
  RowFilterProxy proxy;
  proxy.setSourceModel(table);
  const QAbstractItemModelTester tester(&proxy, Mode::Fatal);
  table->setRows({tensor("layer.10", 10, 999), tensor("layer.9", 10, 1'000),
                  tensor("layer.1", 10, 2'000'000)});
  proxy.sort(0);
  EXPECT_EQ(firstColumn(proxy), (QStringList{"layer.1", "layer.9", "layer.10"}));
  proxy.sort(columnOf(*table, "Stored"), Qt::DescendingOrder);
  EXPECT_EQ(firstColumn(proxy), (QStringList{"layer.1", "layer.9", "layer.10"}));
}

TEST(RowFilterProxy, FiltersByWordsAndCondition) {
  QObject owner;
  auto* table = gui::makeTensorTable(&owner);
  RowFilterProxy proxy;
  proxy.setSourceModel(table);
  const QAbstractItemModelTester tester(&proxy, Mode::Fatal);
  table->setRows({tensor("a.weight", 10, 1), tensor("a.bias", 10, 1, TensorState::New),
                  tensor("b.weight", 10, 1)});
  proxy.setFilter("A.");
  EXPECT_EQ(firstColumn(proxy), (QStringList{"a.weight", "a.bias"}));
  proxy.setFilter("new a");
  EXPECT_EQ(firstColumn(proxy), QStringList{"a.bias"});
  proxy.setFilter({});
  proxy.setCondition([](int row) { return row == 2; });
  EXPECT_EQ(firstColumn(proxy), QStringList{"b.weight"});
  proxy.setCondition({});
  EXPECT_EQ(proxy.rowCount(), 3);
}

TEST(VersionTable, NamesVersionsByLabel) {
  QObject owner;
  auto* table = gui::makeVersionTable(&owner);
  const QAbstractItemModelTester tester(table, Mode::Fatal);
  table->setRows({makeRow("sst2", 2, "base:v1"), makeRow("base", 1)});
  EXPECT_EQ(table->index(0, 0).data(gui::LabelRole).toString(), "sst2:v2");
  EXPECT_EQ(table->index(1, columnOf(*table, "Against")).data().toString(), "(base)");
  EXPECT_EQ(table->index(0, columnOf(*table, "Change")).data().toString(), "0.020");
}

TEST(VersionTable, SaysWhatARestoreWouldHaveToFetch) {
  QObject owner;
  auto* table = gui::makeVersionTable(&owner);
  ListRow lazy = makeRow("sst2", 2, "base:v1");
  lazy.awaited = {2, 8'100'000, 100'000};
  table->setRows({lazy, makeRow("base", 1)});
  const int here = columnOf(*table, "Here");
  EXPECT_EQ(table->index(0, here).data().toString(), "no, 8.1 MB");
  EXPECT_TRUE(table->index(0, here).data(Qt::ToolTipRole).toString().contains("8,100,000 bytes"));
  EXPECT_EQ(table->index(0, here).data(gui::SortRole).toULongLong(), 8'100'000U);
  EXPECT_EQ(table->index(1, here).data().toString(), "yes");
  EXPECT_TRUE(table->index(1, here).data(Qt::ToolTipRole).toString().isEmpty());
}

TEST(RecordTable, KeepsRowsThatAreUpdatedInPlace) {
  QObject owner;
  auto* table = gui::makeVersionTable(&owner);
  const QAbstractItemModelTester tester(table, Mode::Fatal);
  table->setRows({makeRow("a", 1)});
  QSignalSpy reset(table, &QAbstractItemModel::modelReset);
  QSignalSpy changed(table, &QAbstractItemModel::dataChanged);
  table->updateRows({makeRow("b", 1)});
  EXPECT_EQ(reset.count(), 0);
  EXPECT_EQ(changed.count(), 1);
  table->append(makeRow("c", 1));
  EXPECT_EQ(firstColumn(*table), (QStringList{"b:v1", "c:v1"}));
  table->updateRows({});
  EXPECT_EQ(reset.count(), 1);
}

TEST(ObjectTable, MarksDamagedObjectsOfTheLastCheck) {
  const ObjectRow sound{.digest = makeRow("a", 1).version.contentDigest, .byteCount = 10};
  ObjectRow bad{.digest = makeRow("b", 1).version.contentDigest, .byteCount = 20};
  bad.usedBy = {"sst2:v1", "sst2:v2", "x:v1", "y:v1", "z:v1"};
  VerifyReport report;
  report.damages.emplace_back();
  report.damages.back().digest = bad.digest;
  report.damages.back().reason = "does not match its hash";
  QObject owner;
  auto* table = gui::makeObjectTable(&owner);
  const QAbstractItemModelTester tester(table, Mode::Fatal);
  table->setRows(gui::objectStates({sound, bad}, nullptr));
  const int state = columnOf(*table, "State");
  EXPECT_EQ(table->index(0, state).data().toString(), "not checked yet");
  table->setRows(gui::objectStates({sound, bad}, &report));
  EXPECT_EQ(table->index(0, state).data().toString(), "ok");
  EXPECT_EQ(table->index(1, state).data().toString(), "DAMAGED: does not match its hash");
  EXPECT_FALSE(table->index(0, 0).data(gui::MarkRole).toBool());
  EXPECT_TRUE(table->index(1, 0).data(gui::MarkRole).toBool());
  ObjectRow awaited = bad;
  awaited.isAwaited = true;
  table->setRows(gui::objectStates({sound, awaited}, nullptr));
  EXPECT_EQ(table->index(1, state).data().toString(), "not here yet") << "without a check";
  report.damages.clear();
  report.absentPacks.insert(bad.digest);
  table->setRows(gui::objectStates({sound, bad}, &report));
  EXPECT_EQ(table->index(1, state).data().toString(), "not here yet");
  EXPECT_FALSE(table->index(1, 0).data(gui::MarkRole).toBool());
  EXPECT_TRUE(table->index(1, columnOf(*table, "Used by")).data().toString().contains("1 more"));
}

TEST(DiffTable, SaysWhatOfTheChangeIsRoundingAndWhatIsUnknown) {
  DiffReport report;
  const auto fact = [&report](const QString& what) {
    for (const gui::DiffFact& one : gui::factsOf(report)) {
      if (one.what == what) return one.change;
    }
    return QString("none");
  };
  EXPECT_EQ(fact("Elements"), "no tensor in common");
  EXPECT_EQ(fact("Weights"), "unknown");
  EXPECT_EQ(fact("Rounding"), "none");
  report.change = {.wordCount = 200,
                   .changedWords = 100,
                   .roundedWords = 40,
                   .roundedTo = {"bf16"},
                   .distance = 0.002};
  EXPECT_EQ(fact("Elements"), "50 % changed");
  EXPECT_EQ(fact("Weights"), "0.002 relative L2");
  report.change.distance = 0;
  EXPECT_EQ(fact("Weights"), "no size");
  EXPECT_EQ(fact("Rounding"), "40 % of the changes, to bf16");
}

TEST(DiffTable, SaysWhatChangedAndByHowMuch) {
  DiffReport report;
  report.labelA = "sst2:v1";
  report.labelB = "sst2:v2";
  report.versionA = makeRow("sst2", 1, "base:v1").version;
  report.versionB = makeRow("sst2", 2, "base:v1").version;
  report.originalBytesA = report.originalBytesB = 1'000'000;
  report.changedTensors = 3;
  report.equalTensors = 5;
  const auto facts = gui::factsOf(report);
  const auto fact = [&](const QString& what) {
    for (const gui::DiffFact& one : facts) {
      if (one.what == what) return one.change;
    }
    return QString("none");
  };
  EXPECT_EQ(fact("Stored"), "+10.0 kB  (+100 %)");
  EXPECT_EQ(fact("Original"), "0 B");
  EXPECT_EQ(fact("Tensors"), "3 of 8 changed");
  EXPECT_EQ(fact("Fidelity"), "same");
  gui::DiffRow row;
  row.fromBaseB = 0.25;
  row.name = "w";
  row.wordCount = 4;
  row.changedWords = 1;
  row.storedBytesB = 12;
  QObject owner;
  auto* table = gui::makeDiffTable(&owner);
  const QAbstractItemModelTester tester(table, Mode::Fatal);
  table->setRows({row});
  EXPECT_EQ(table->index(0, columnOf(*table, "Elements changed")).data().toString(), "25 %");
  EXPECT_EQ(table->index(0, columnOf(*table, "A from base")).data().toString(), "-");
  EXPECT_EQ(table->index(0, columnOf(*table, "B from base")).data().toString(), "0.250");
  EXPECT_EQ(columnOf(*table, "B from base"), gui::kFromBaseColumns[1]);
  EXPECT_EQ(table->index(0, columnOf(*table, "Stored A")).data().toString(), "-");
  EXPECT_EQ(table->index(0, columnOf(*table, "Stored B")).data().toString(), "12 B");
}

TEST(LayerBits, GroupsTensorsByTheFirstNumberInTheirName) {
  EXPECT_EQ(gui::layerOf("encoder.layer.3.ffn.weight"), "encoder.layer.3");
  EXPECT_EQ(gui::layerOf("/encoder/layer/3/MatMul"), "encoder/layer/3");
  EXPECT_EQ(gui::layerOf("embeddings.word.weight"), "embeddings");
  EXPECT_EQ(gui::layerOf("scale"), "scale");
  const auto layers = gui::bitsByLayer({tensor("l.0.a", 10, 50), tensor("l.1.a", 10, 100),
                                        tensor("l.0.b", 10, 25, TensorState::New)});
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].name, "l.0");
  EXPECT_EQ(layers[0].deltaBytes, 50U);
  EXPECT_EQ(layers[0].newBytes, 25U);
  EXPECT_DOUBLE_EQ(layers[0].bits(), 3.0);
  EXPECT_DOUBLE_EQ(layers[1].bits(), 8.0);
}

}  // namespace
}  // namespace strata::test
