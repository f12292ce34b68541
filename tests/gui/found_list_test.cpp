// What is kept of a search, and which versions of a push are chosen.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QFile>

#include "core/config/user_folders.h"
#include "gui/jobs/found_list.h"
#include "gui/models/push_choice.h"
#include "gui/models/wording.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

gui::FoundList madeList(std::size_t rows) {
  gui::FoundList list;
  list.request = {.place = "lab", .words = "distil bert", .onlyStrata = true};
  list.foundAt = 1'800'000'000;
  for (std::size_t i = 0; i < rows; ++i) {
    gui::FoundRow row{.url = QStringLiteral("hf://acme/m%1").arg(i)};
    row.kind = gui::FoundRow::Kind::Strata;
    row.names = {"sst2", "ner"};
    row.versionCount = 3;
    row.fetchBytes = std::uint64_t{1} << 60U;
    row.license = "mit";
    row.parentsAreHere = true;
    list.rows.push_back(row);
  }
  return list;
}

TEST(FoundList, ComesBackAsItWasKept) {
  ASSERT_TRUE(madeList(2).save());
  const gui::FoundList list = gui::FoundList::load();
  EXPECT_EQ(list.foundAt, 1'800'000'000);
  EXPECT_EQ(list.request.place, "lab");
  EXPECT_EQ(list.request.words, "distil bert");
  EXPECT_TRUE(list.request.onlyStrata);
  ASSERT_EQ(list.rows.size(), 2U);
  const gui::FoundRow& row = list.rows[1];
  EXPECT_EQ(row.url, "hf://acme/m1");
  EXPECT_TRUE(row.hasVersions());
  EXPECT_EQ(row.names, (QStringList{"sst2", "ner"}));
  EXPECT_EQ(row.versionCount, 3);
  EXPECT_EQ(row.fetchBytes, std::uint64_t{1} << 60U) << "more than a double counts";
  EXPECT_EQ(row.downloads, std::nullopt);
  EXPECT_TRUE(row.parentsAreHere);
}

TEST(FoundList, IsBoundedAndSurvivesAnythingInItsFile) {
  ASSERT_TRUE(madeList(gui::FoundList::kMostRows + 7).save());
  EXPECT_EQ(gui::FoundList::load().rows.size(), gui::FoundList::kMostRows);
  const auto file = userFolders().state / "found.json";
  const std::string kept = readWhole(file);
  for (const std::string& bytes :
       {std::string(), std::string("[1"), std::string("{\"models\":[7,{},{\"url\":[]}]}"),
        kept.substr(0, kept.size() / 2),
        std::string(static_cast<std::size_t>(gui::FoundList::kMostBytes) + 1, ' ')}) {
    writeWhole(file, bytes);
    EXPECT_TRUE(gui::FoundList::load().rows.empty());
  }
}

TEST(FoundRow, OfUnknownSizeIsOfAnySizeOnly) {
  gui::FoundRow row{.url = "hf://acme/m"};
  EXPECT_TRUE(gui::isOfSize(row, gui::FoundSize::Any));
  EXPECT_FALSE(gui::isOfSize(row, gui::FoundSize::UpTo500Megabytes));
  EXPECT_FALSE(gui::isOfSize(row, gui::FoundSize::Over500Megabytes));
  row.fetchBytes = 50'000'000;
  EXPECT_TRUE(gui::isOfSize(row, gui::FoundSize::UpTo50Megabytes));
  row.fetchBytes = 50'000'001;
  EXPECT_FALSE(gui::isOfSize(row, gui::FoundSize::UpTo50Megabytes));
  EXPECT_TRUE(gui::isOfSize(row, gui::FoundSize::UpTo500Megabytes));
}

/// base:v1, a:v1 of it, a:v2 of that, and b:v1 of the base.
std::vector<PushReport::Item> madePush() {
  std::vector<PushReport::Item> items;
  for (const auto& [name, number, parent] :
       {std::tuple("base", 1U, ""), std::tuple("a", 1U, "base:v1"), std::tuple("a", 2U, "a:v1"),
        std::tuple("b", 1U, "base:v1")}) {
    items.push_back({makeRow(name, number, parent).version, number, 10});
  }
  return items;
}

TEST(PushChoice, TakesParentsAlongAndLeavesDifferencesBehind) {
  gui::PushChoice choice;
  const QAbstractItemModelTester tester(&choice,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  choice.setItems(madePush());
  EXPECT_TRUE(choice.isWhole());
  EXPECT_EQ(choice.chosenBytes(), 40U);
  const auto check = [&](int row, Qt::CheckState state) {
    EXPECT_TRUE(choice.setData(choice.index(row, 0), state, Qt::CheckStateRole));
  };
  check(1, Qt::Unchecked);
  EXPECT_EQ(choice.chosen(), (QStringList{"base:v1", "b:v1"}));
  EXPECT_EQ(choice.chosenBytes(), 20U);
  check(0, Qt::Unchecked);
  EXPECT_TRUE(choice.chosen().isEmpty());
  check(2, Qt::Checked);
  EXPECT_EQ(choice.chosen(), (QStringList{"base:v1", "a:v1", "a:v2"}));
  EXPECT_FALSE(choice.setData(choice.index(0, 1), 1, Qt::EditRole));
}

TEST(Words, TellHowLongAgoSomethingWas) {
  const std::int64_t now = QDateTime::currentSecsSinceEpoch();
  EXPECT_EQ(gui::agoText(now), "just now");
  EXPECT_EQ(gui::agoText(now - 5 * 60 - 1), "5 min ago");
  EXPECT_EQ(gui::agoText(now - 2 * 3600 - 1), "2 h ago");
  EXPECT_EQ(gui::agoText(now - 3 * 86'400 - 1), "3 d ago");
  EXPECT_EQ(gui::agoText(now - 90 * 86'400), gui::dateText(now - 90 * 86'400).left(10));
}

}  // namespace
}  // namespace strata::test
