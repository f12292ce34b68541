// Adding a model, by clicks and keys.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QRadioButton>
#include <nlohmann/json.hpp>

#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/base_chooser.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class AddTest : public WindowTest {
 protected:
  gui::AddPage& page() { return window_.pages().add(); }

  void inspect(const QString& path) {
    QSignalSpy inspected(&page(), &gui::AddPage::inspected);
    window_.showPage(Page::Add);
    page().begin({path});
    ASSERT_TRUE(inspected.wait(kPatienceMs));
  }
  QString add(const QString& button) {
    QSignalSpy added(&page(), &gui::AddPage::added);
    click(page(), button);
    if (!added.wait(kPatienceMs)) return page().banner().text();
    return added[0][0].toString();
  }
  void addBase() {
    inspect(modelFile("enc.safetensors", 30));
    ASSERT_EQ(add("Add base"), "enc:v1");
  }
  std::optional<ListRow> row(const QString& label) {
    for (const ListRow& one : session().snapshot()->rows) {
      if (gui::labelText(one.version) == label) return one;
    }
    return std::nullopt;
  }
};

TEST_F(AddTest, TakesAPathThatIsTyped) {
  open();
  const QString model = modelFile("typed.safetensors", 30);
  QSignalSpy inspected(&page(), &gui::AddPage::inspected);
  window_.showPage(Page::Add);
  type(page(), "File", model);
  QTest::keyClick(edit(page(), "File"), Qt::Key_Return);
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  EXPECT_EQ(edit(page(), "Name")->text(), "typed");
  EXPECT_EQ(add("Add base"), "typed:v1");
}

TEST_F(AddTest, AddsAVersionWithNoteAndTags) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  const auto* bases = page().findChild<gui::BaseChooser*>();
  EXPECT_EQ(bases->base(), "enc:v1");
  EXPECT_EQ(edit(page(), "Name")->text(), "task");
  type(page(), "Note", "lr 2e-5");
  type(page(), "Tags", "prod, lab");
  ASSERT_EQ(add("Add version"), "task:v1");
  ASSERT_TRUE(waitFor([&] { return row("task:v1").has_value(); }));
  const ListRow stored = *row("task:v1");
  EXPECT_EQ(stored.version.note, "lr 2e-5");
  EXPECT_EQ(stored.version.tags, (std::vector<std::string>{"lab", "prod"}));
  EXPECT_EQ(stored.baseLabel, "enc:v1");
  EXPECT_FALSE(stored.version.lossy);
}

TEST_F(AddTest, CopiesTheCommandThatDoesTheSame) {
  open();
  addBase();
  const QString file = tunedFile("task.safetensors", 30, 31);
  inspect(file);
  type(page(), "Note", "a b");
  click(page(), "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "strata -C " + sample_.folder() + " add task " +
                                                      file +
                                                      " --base enc:v1 --profile exact -m 'a b'");
}

TEST_F(AddTest, EstimatesWithoutWriting) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));  // the base is listed
  click(page(), "Estimate");
  ASSERT_TRUE(waitFor([&] {
    for (auto* label : page().findChildren<QLabel*>()) {
      if (label->text().startsWith("would store")) return true;
    }
    return false;
  }));
  EXPECT_EQ(rowCount(), 4U);
}

TEST_F(AddTest, SaysWhatTheNextVersionIsCalled) {
  open();
  inspect(modelFile("tuned.safetensors", 50));
  const auto hint = [&] {
    for (auto* label : page().findChildren<QLabel*>()) {
      if (label->text().contains("becomes")) return label->text();
    }
    return QString();
  };
  EXPECT_EQ(hint(), "becomes tuned:v3");
  type(page(), "Name", "fresh");
  EXPECT_EQ(hint(), "a new name: becomes fresh:v1");
  edit(page(), "Name")->clear();
  EXPECT_FALSE(button(page(), "Add base")->isEnabled());
}

TEST_F(AddTest, SaysThatAModelIsStoredAlready) {
  open();
  addBase();
  inspect(inFolder("enc.safetensors"));
  type(page(), "Name", "enc");
  for (auto* choice : page().findChildren<QRadioButton*>()) {
    if (choice->text().startsWith("None")) choice->click();
  }
  click(page(), "Add base");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("no new version"); }))
      << page().banner().text().toStdString();
}

TEST_F(AddTest, StoresAModelInFullWhereNoBaseIsChosen) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  EXPECT_TRUE(box(page(), "Profile")->isEnabled());
  for (auto* choice : page().findChildren<QRadioButton*>()) {
    if (choice->text().startsWith("None"))
      QTest::mouseClick(choice, Qt::LeftButton, {}, {8, choice->height() / 2});
  }
  EXPECT_FALSE(box(page(), "Profile")->isEnabled());
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" import "));
  ASSERT_EQ(add("Add base"), "task:v1");
  ASSERT_TRUE(waitFor([&] { return row("task:v1") && row("task:v1")->version.isBase(); }));
}

TEST_F(AddTest, OffersToStoreTheNearestWhereATargetIsMissed) {
  open();
  addBase();
  Profile wish{.name = "wish"};
  QualityPlan plan;
  plan.target.bytes = 1;
  plan.trials = 2;
  wish.text = qualityProfileText("lossy: one byte", plan);
  ASSERT_EQ(run(session().queue(), gui::saveProfileJob(wish, Replace::Yes)),
            gui::Job::State::Finished);
  page().setProfiles({"exact", "wish"});
  inspect(tunedFile("task.safetensors", 30, 31));
  box(page(), "Profile")->setCurrentText("wish");
  EXPECT_FALSE(button(page(), "Estimate")->isEnabled());
  click(page(), "Add version");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("Nothing was stored"); }))
      << page().banner().text().toStdString();
  EXPECT_FALSE(row("task:v1"));
  QSignalSpy added(&page(), &gui::AddPage::added);
  click(page().banner(), "Store the nearest");
  ASSERT_TRUE(added.wait(kPatienceMs));
  ASSERT_TRUE(waitFor([&] { return row("task:v1").has_value(); }));
  EXPECT_TRUE(row("task:v1")->version.lossy);
}

TEST_F(AddTest, StoresNothingThatMissesTheErrorThatIsAskedFor) {
  open();
  addBase();
  page().setProfiles({"exact", "balanced"});
  inspect(tunedFile("task.safetensors", 30, 31));
  EXPECT_FALSE(edit(page(), "Error at most")->isVisible());
  box(page(), "Profile")->setCurrentText("balanced");
  ASSERT_TRUE(edit(page(), "Error at most")->isVisible());
  type(page(), "Error at most", "much");
  click(page(), "Add version");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("STRATA-E2"); }))
      << page().banner().text().toStdString();
  EXPECT_TRUE(page().banner().text().contains("much"));
  type(page(), "Error at most", "0.9");
  EXPECT_TRUE(commands(page()).front().contains(" --target error=0.9"));
  EXPECT_EQ(add("Add version"), "task:v1");
}

TEST_F(AddTest, ForgetsWhatItEstimatedForAnotherProfileOrBase) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  const auto says = [&](const QString& words) {
    for (const auto* label : page().findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(words)) return true;
    }
    return false;
  };
  const auto offers = [&](const QString& words) {
    for (const auto* one : page().findChildren<QRadioButton*>()) {
      if (one->text().contains(words)) return true;
    }
    return false;
  };
  click(page(), "Estimate");
  ASSERT_TRUE(waitFor([&] { return says("would store"); }));
  EXPECT_TRUE(offers("would store about"));
  box(page(), "Profile")->setCurrentText("balanced");
  EXPECT_FALSE(says("would store")) << "of an exact version";
  EXPECT_FALSE(offers("would store about"));
  box(page(), "Profile")->setCurrentText("exact");
  EXPECT_TRUE(offers("would store about"));
  ASSERT_EQ(add("Add version"), "task:v1");
  EXPECT_TRUE(says("Stored task:v1"));
  ASSERT_TRUE(waitFor([&] { return says("becomes task:v2"); })) << "the next number";
  box(page(), "Profile")->setCurrentText("balanced");
  EXPECT_FALSE(says("Stored task:v1"));
}

TEST_F(AddTest, GoesBackWithoutAddingOnCancel) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  click(page(), "Cancel");
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(AddTest, StoresTypesWithoutANumericCodecAsBytes) {
  open();
  // Flags, 64-bit integers, 8-bit floats: no model of numbers fits them, or the types are rare.
  const auto model = [&](const char* name, char flag) {
    nlohmann::ordered_json header;
    header["mask"] = {{"dtype", "BOOL"}, {"shape", {64}}, {"data_offsets", {0, 64}}};
    header["positions"] = {{"dtype", "I64"}, {"shape", {32}}, {"data_offsets", {64, 320}}};
    header["scales"] = {{"dtype", "F8_E8M0"}, {"shape", {16}}, {"data_offsets", {320, 336}}};
    std::string text = header.dump();
    while (text.size() % 8 != 0) text += ' ';
    const std::uint64_t size = text.size();
    std::string bytes(336, '\1');
    bytes[7] = flag;
    const std::string path = (sample_.files() / name).string();
    writeWhole(path, std::string(reinterpret_cast<const char*>(&size), 8) + text + bytes);
    return QString::fromStdString(path);
  };
  const QString base = model("flags.safetensors", '\1');
  inspect(base);
  ASSERT_EQ(add("Add base"), "flags:v1") << page().banner().text().toStdString();
  const QString tuned = model("flags-tuned.safetensors", '\0');
  inspect(tuned);
  const QString label = add("Add version");
  ASSERT_EQ(label, "flags-tuned:v1") << page().banner().text().toStdString();
  const auto target = sample_.files() / "back.safetensors";
  ASSERT_EQ(
      run(session().queue(),
          gui::restoreJob(session().store(), {.reference = label.toStdString(), .target = target})),
      gui::Job::State::Finished);
  EXPECT_EQ(readWhole(target), readWhole(tuned.toStdString()));
}

}  // namespace
}  // namespace strata::test
