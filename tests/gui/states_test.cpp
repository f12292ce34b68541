// What can go wrong, and how the window says it; two programs on one store.
#include <gtest/gtest.h>

#include <QLabel>
#include <nlohmann/json.hpp>

#include "core/ops/exchange/push_versions.h"
#include "core/store/store_writer.h"
#include "gui/charts/histogram_chart.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/pull_pane.h"
#include "gui/widgets/views/capped_text.h"
#include "hub/folder/folder_transport.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class StatesTest : public WindowTest {
 protected:
  QString libraryBanner() { return window_.pages().library().banner().text(); }
  void inspect(const QString& path) {
    QSignalSpy inspected(&window_.pages().add(), &gui::AddPage::inspected);
    window_.showPage(Page::Add);
    window_.pages().add().begin({path});
    ASSERT_TRUE(inspected.wait(kPatienceMs));
  }
  void add(const QString& path, const QString& button) {
    inspect(path);
    QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
    click(window_.pages().add(), button);
    ASSERT_TRUE(added.wait(kPatienceMs)) << window_.pages().add().banner().text().toStdString();
    ASSERT_TRUE(waitFor([&] { return listed().contains(added[0][0].toString()); }));
  }
  QStringList listed() {
    QStringList labels;
    for (const ListRow& row : session().snapshot()->rows) {
      labels << gui::labelText(row.version);
    }
    return labels;
  }
  /// An evaluator that gives the unquantized model 0.9 and all others 0.71.
  QString evaluator() {
    const QString script = inFolder("score.sh");
    writeWhole(script.toStdString(), R"(while read -r line; do
  case $line in *reference*) score=0.9 ;; *) score=0.71 ;; esac
  id=${line##*'"id":'}
  echo "{\"id\":${id%%[!0-9]*},\"score\":$score,\"metric\":\"accuracy\",\"samples\":872}"
  echo scored >> )" + inFolder("scores").toStdString() +
                                         R"(
done
)");
    return "sh " + script;
  }
  /// How often it has scored anything.
  std::ptrdiff_t scoreCount() {
    return std::ranges::count(readWhole(inFolder("scores").toStdString()), '\n');
  }
  /// A model with weights and with tensors of types that only exact codecs take.
  QString oddModel(const char* name, const std::string& weights, char word) {
    nlohmann::ordered_json header;
    std::size_t end = 0;
    const auto declare = [&](const char* tensor, const char* type, std::size_t elementCount,
                             std::size_t byteCount) {
      header[tensor] = {
          {"dtype", type}, {"shape", {elementCount}}, {"data_offsets", {end, end + byteCount}}};
      end += byteCount;
    };
    declare("body.weight", "F32", weights.size() / 4, weights.size());
    header["body.weight"]["shape"] = {64, weights.size() / 4 / 64};
    declare("experts.packed", "F4", 4096, 2048);
    declare("experts.scales", "F8_E8M0", 128, 128);
    declare("mask", "BOOL", 64, 64);
    std::string text = header.dump();
    while (text.size() % 8 != 0) text += ' ';
    const std::uint64_t size = text.size();
    std::string others(end - weights.size(), '\0');
    for (std::size_t i = 0; i < others.size(); i += 7) others[i] = word;
    const std::string path = (sample_.files() / name).string();
    writeWhole(path,
               std::string(reinterpret_cast<const char*>(&size), 8) + text + weights + others);
    return QString::fromStdString(path);
  }
};

TEST_F(StatesTest, KeepsWorkingWhileAnotherProgramHoldsTheLock) {
  open();
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return libraryBanner().contains("STRATA-E1101"); }));
  EXPECT_EQ(rowCount(), 3U);
  // Reading goes on.
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  emit window_.bench().showVersion("tuned:v2");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  lock->reset();
  window_.showPage(Page::Library);
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
}

TEST_F(StatesTest, RefusesAStoreOfANewerFormatAndOpensItOnceItIsReadable) {
  const auto file = sample_.path() / "store.toml";
  const std::string toml = readWhole(file);
  std::string newer = toml;
  newer.replace(newer.find("format = 1"), 10, "format = 9");
  writeWhole(file, newer);
  window_.openStore(sample_.folder());
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  const QString told = window_.pages().welcome().banner().text();
  EXPECT_TRUE(told.contains("STRATA-E12")) << told.toStdString();
  EXPECT_TRUE(told.contains("newer"));
  picture("state-newer-format");
  writeWhole(file, toml);
  click(window_.pages().welcome().banner(), "Try again");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Library; }));
}

TEST_F(StatesTest, LeadsFromDamageToTheCheck) {
  open();
  sample_.damage("tuned:v2");
  QSignalSpy planned(&window_.pages().restore(), &gui::RestorePage::planned);
  press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  window_.pages().restore().setTarget(inFolder("out.safetensors"));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  click(window_.pages().restore(), "Restore");
  gui::Banner& banner = window_.pages().restore().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E601"); }));
  EXPECT_FALSE(std::filesystem::exists(sample_.files() / "out.safetensors"));
  picture("state-damaged-pack");
  QSignalSpy verified(&window_.pages().storage(), &gui::StoragePage::verified);
  window_.showPage(Page::Storage);
  click(window_.pages().storage(), "Verify all");
  ASSERT_TRUE(verified.wait(kPatienceMs));
  EXPECT_TRUE(window_.pages().storage().banner().text().contains("tuned:v2"));
  picture("state-damaged-store");
}

TEST_F(StatesTest, SaysThatABaseIsMissing) {
  open();
  // The objects of the base go; its versions are still listed.
  auto shown = gui::showJob(window_.bench().store(), "base:v1");
  std::vector<Digest> packs;
  ASSERT_EQ(run(session().queue(), shown, [&] { packs = shown->report().packs; }),
            gui::Job::State::Finished);
  for (const Digest& pack : packs) {
    const std::string hex = toHex(pack);
    std::filesystem::remove(sample_.path() / "objects" / hex.substr(0, 2) / hex.substr(2));
  }
  emit window_.bench().compare({}, "tuned:v2");
  gui::Banner& banner = window_.pages().compare().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E"); }));
  EXPECT_TRUE(banner.text().contains("could not be compared")) << banner.text().toStdString();
  EXPECT_TRUE(banner.text().contains("Adding the same model again"));
  EXPECT_NE(button(banner, "Verify store"), nullptr);
  for (auto* label : window_.pages().compare().findChildren<QLabel*>()) {
    EXPECT_FALSE(label->text().contains("tensors changed")) << "nothing was compared";
  }
  picture("state-missing-base");
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(StatesTest, SaysThatTheNetworkIsNotThere) {
  open();
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "true")),
            gui::Job::State::Finished);
  window_.showPage(Page::Remotes);
  window_.pages().remotes().addRemote("hub", "hf://acme/models");
  gui::Banner& banner = window_.pages().remotes().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E801"); }))
      << banner.text().toStdString();
  EXPECT_NE(button(banner, "Try again"), nullptr);
  picture("state-offline");
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "false")),
            gui::Job::State::Finished);
}

TEST_F(StatesTest, SaysThatAModelVanishedBeforeItWasAdded) {
  open();
  const QString file = modelFile("enc.safetensors", 30);
  inspect(file);
  std::filesystem::remove(file.toStdString());
  click(window_.pages().add(), "Add base");
  gui::Banner& banner = window_.pages().add().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E"); }));
  EXPECT_TRUE(banner.text().contains("enc.safetensors"));
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(StatesTest, ShowsAFileThatIsCutAsDamaged) {
  open();
  const QString file = modelFile("cut.safetensors", 30);
  const std::string whole = readWhole(file.toStdString());
  writeWhole(file.toStdString(), whole.substr(0, whole.size() / 2));
  inspect(file);
  EXPECT_TRUE(window_.pages().add().banner().text().contains("STRATA-E6"))
      << window_.pages().add().banner().text().toStdString();
  EXPECT_TRUE(window_.pages().add().banner().text().contains("get it again"));
  picture("state-cut-file");
}

TEST_F(StatesTest, StoresNothingThatLosesMoreThanItMay) {
  open();
  add(modelFile("enc.safetensors", 30), "Add base");
  gui::AddPage& page = window_.pages().add();
  inspect(tunedFile("task.safetensors", 30, 31));
  const auto objects = [&] {
    const auto folder = sample_.path() / "objects";
    return std::distance(std::filesystem::recursive_directory_iterator(folder), {});
  };
  const auto before = objects();
  box(page, "Profile")->setCurrentText("balanced");
  type(page, "Note", "3 epochs");
  type(page, "Tags", "lab");
  type(page, "Evaluator", evaluator());
  click(page, "Add version");
  ASSERT_TRUE(waitFor([&] { return page.banner().text().contains("Nothing was stored"); }))
      << page.banner().text().toStdString();
  const QString told = page.banner().text();
  EXPECT_TRUE(told.contains("At most 0.5 points may be lost")) << told.toStdString();
  EXPECT_TRUE(told.contains("loses 19.00: accuracy 0.9 -&gt; 0.71 on 872 samples"))
      << told.toStdString();
  EXPECT_TRUE(told.contains("choose a finer profile"));
  picture("state-gate-missed");
  EXPECT_EQ(objects(), before);
  EXPECT_FALSE(listed().contains("task:v1"));
  EXPECT_EQ(edit(page, "Name")->text(), "task");
  EXPECT_EQ(edit(page, "Note")->text(), "3 epochs");
  EXPECT_EQ(edit(page, "Tags")->text(), "lab");
  EXPECT_EQ(edit(page, "Evaluator")->text(), evaluator());
  EXPECT_EQ(box(page, "Profile")->currentText(), "balanced");

  edit(page, "Evaluator")->clear();
  type(page, "Error at most", "0");
  click(page, "Add version");
  ASSERT_TRUE(waitFor([&] { return page.banner().text().contains("0 is the exact version"); }))
      << page.banner().text().toStdString();
  EXPECT_EQ(objects(), before);
  edit(page, "Error at most")->clear();
  QSignalSpy added(&page, &gui::AddPage::added);
  click(page, "Add version");
  ASSERT_TRUE(added.wait(kPatienceMs));
  EXPECT_EQ(added[0][0].toString(), "task:v1");
}

TEST_F(StatesTest, KeepsTheModelThatMissedItsTargetBeforeTheNext) {
  open();
  add(modelFile("enc.safetensors", 30), "Add base");
  gui::AddPage& page = window_.pages().add();
  QSignalSpy inspected(&page, &gui::AddPage::inspected);
  page.begin({tunedFile("first.safetensors", 30, 31), tunedFile("second.safetensors", 30, 32)});
  ASSERT_TRUE(inspected.wait(kPatienceMs));
  box(page, "Profile")->setCurrentText("balanced");
  type(page, "Evaluator", evaluator());
  click(page, "Add version");
  ASSERT_TRUE(waitFor([&] { return page.banner().text().contains("Nothing was stored"); }));
  ASSERT_TRUE(waitFor([&] { return button(page, "Add version")->isEnabled(); }));
  EXPECT_EQ(edit(page, "Name")->text(), "first");
  EXPECT_EQ(edit(page, "Evaluator")->text(), evaluator());
  const auto searched = scoreCount();
  EXPECT_GT(searched, 3);
  click(page.banner(), "Store the nearest");
  ASSERT_TRUE(waitFor([&] { return edit(page, "Name")->text() == "second"; }));
  EXPECT_TRUE(waitFor([&] { return listed().contains("first:v1"); }));
  EXPECT_EQ(scoreCount(), searched + 2) << "more than the original and the nearest was scored";
}

TEST_F(StatesTest, SaysThatAVersionNeedsAnotherBaseThanIsHere) {
  // Another store sends what was made from its own base, and not the base.
  const TempFolder away;
  auto store = Store::create(away / "store");
  ASSERT_TRUE(store);
  const auto model = makeModel(99);
  AddOptions theirs;
  theirs.name = "base";
  theirs.baseChoice = BaseChoice::None;
  const auto base = addVersion(**store, *model, theirs, {}, {});
  ASSERT_TRUE(base) << base.error().message;
  ASSERT_TRUE(addVersion(**store, *makeTuned(*model, 5), {.name = "theirs"}, {}, {}));
  auto remote = hub::FolderTransport(sample_.files() / "share");
  ASSERT_TRUE(pushVersions(**store, remote, {.references = {"theirs"}, .withBase = false}, {}, {}));
  open();
  ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(window_.bench().store(),
                                                      {.name = "share", .url = sample_.share()})),
            gui::Job::State::Finished);
  session().open(sample_.folder());
  window_.showPage(Page::Remotes);
  gui::RemotesPage& remotes = window_.pages().remotes();
  ASSERT_TRUE(waitFor([&] { return button(remotes, "Ask again")->isEnabled(); }));
  click(remotes, "Ask again");
  auto* versions = table(remotes, "Versions of the remote");
  ASSERT_TRUE(waitFor([&] { return versions->model()->rowCount() == 1; }));
  EXPECT_EQ(versions->model()->index(0, 1).data().toString(), "no, and its base is nowhere");
  versions->selectRow(0);
  const QString needed = gui::hashText(base->version.contentDigest);
  QSignalSpy planned(&remotes, &gui::RemotesPage::planned);
  click(remotes, "Pull...");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  auto& plan = *remotes.findChild<gui::PullPane*>();
  EXPECT_TRUE(plan.findChild<gui::CappedText*>()->text().contains(needed));
  EXPECT_FALSE(button(plan, "Pull")->isEnabled());
  window_.transfers().add(plan.request());
  window_.showPage(Page::Transfers);
  const auto transfer = [&] { return window_.transfers().transfers().at(0); };
  ASSERT_TRUE(waitFor([&] { return transfer().isOver(); }));
  EXPECT_EQ(transfer().state, gui::Transfer::State::Failed);
  EXPECT_EQ(transfer().problem.number, "STRATA-E602");
  EXPECT_TRUE(transfer().problem.why.contains(needed)) << transfer().problem.why.toStdString();
  EXPECT_TRUE(transfer().problem.advice.contains("Add the model that it was made from"));
  picture("state-base-mismatch");
  EXPECT_EQ(rowCount(), 3U);

  // What it says to do helps.
  auto here = Store::open(sample_.path());
  ASSERT_TRUE(here);
  theirs.name = "their-base";
  ASSERT_TRUE(addVersion(**here, *model, theirs, {}, {}));
  click(*window_.centralWidget(), "Try again");
  EXPECT_TRUE(waitFor([&] { return listed().contains("theirs:v1"); }));
}

TEST_F(StatesTest, SaysWhichTensorsHaveTypesThatAreNotQuantized) {
  open();
  const std::string weights = randomFloats(64 * 64, 5);
  add(oddModel("moe.safetensors", weights, '\1'), "Add base");
  inspect(oddModel("moe-task.safetensors", tunedFloats(weights, 0.5, 6), '\0'));
  box(window_.pages().add(), "Profile")->setCurrentText("balanced");
  QSignalSpy added(&window_.pages().add(), &gui::AddPage::added);
  click(window_.pages().add(), "Add version");
  ASSERT_TRUE(added.wait(kPatienceMs)) << window_.pages().add().banner().text().toStdString();
  const QString words = "3 tensors of types that are not quantized: bool, f4e2m1, f8e8m0";
  const auto says = [&](QWidget& page) {
    const auto labels = page.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* one) {
      return one->accessibleName() == "Kept exactly" && one->text() == words;
    });
  };
  EXPECT_TRUE(says(window_.pages().add()));
  picture("state-type-not-quantized");

  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  click(window_.pages().add().banner(), "Details");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_TRUE(says(window_.pages().version()));
  QSignalSpy drawn(&window_.pages().version(), &gui::VersionPage::distributionShown);
  window_.pages().version().openTensor("experts.packed");
  window_.pages().version().showTab(gui::VersionPage::Distribution);
  ASSERT_TRUE(drawn.wait(kPatienceMs));
  QStringList reasons;
  for (auto* chart : window_.pages().version().findChildren<gui::HistogramChart*>()) {
    reasons << chart->summary();
  }
  EXPECT_TRUE(reasons.join(u' ').contains("f4e2m1, which has no numbers"))
      << reasons.join(u' ').toStdString();
  EXPECT_TRUE(reasons.join(u' ').contains("no numbers to compare"));

  QSignalSpy compared(&window_.pages().compare(), &gui::ComparePage::compared);
  emit window_.bench().compare("moe:v1", "moe-task:v1");
  ASSERT_TRUE(compared.wait(kPatienceMs));
  auto* tensors = table(window_.pages().compare(), "Tensors that differ");
  const auto cell = [&](const QString& tensor, int column) {
    for (int row = 0; row < tensors->model()->rowCount(); ++row) {
      if (tensors->model()->index(row, 0).data().toString() != tensor) continue;
      return tensors->model()->index(row, column).data().toString();
    }
    return QString();
  };
  EXPECT_EQ(cell("experts.packed", 2), "14 %");
  EXPECT_EQ(cell("experts.packed", 3), "-") << "bytes have no norm";
  EXPECT_EQ(cell("experts.packed", 4), "-");
  EXPECT_NE(cell("body.weight", 3), "-");

  const auto target = sample_.files() / "back.safetensors";
  ASSERT_EQ(run(session().queue(),
                gui::restoreJob(session().store(), {.reference = "moe-task:v1", .target = target})),
            gui::Job::State::Finished);
  const std::string back = readWhole(target);
  const std::string original = readWhole(sample_.files() / "moe-task.safetensors");
  ASSERT_EQ(back.size(), original.size());
  EXPECT_EQ(back.substr(back.size() - 2240), original.substr(original.size() - 2240))
      << "what is not quantized comes back to the byte";
}

}  // namespace
}  // namespace strata::test
