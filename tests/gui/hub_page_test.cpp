// The hub browser.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QTabWidget>
#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/digest.h"
#include "gui/jobs/found_list.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/pages/hub_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/repository_pane.h"
#include "gui/widgets/views/card_view.h"
#include "gui/widgets/views/table_view.h"
#include "tests/gui/care_fixture.h"
#include "tests/support/fault_server.h"

namespace strata::test {
namespace {

class HubTest : public CareTest {};

TEST_F(HubTest, FindsVersionsInAFolderAndGetsThem) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  press(Qt::Key_H, Qt::ControlModifier);
  ASSERT_EQ(window_.page(), Page::Hub);
  gui::HubPage& hub = window_.pages().hub();
  auto* place = hub.findChild<QComboBox*>();
  ASSERT_TRUE(waitFor([&] { return place->findText("share") >= 0; }));
  place->setCurrentText("share");
  QSignalSpy searched(&hub, &gui::HubPage::searched);
  click(hub, "Search");
  ASSERT_TRUE(searched.wait(kPatienceMs));
  auto* found = hub.findChild<gui::TableView*>();
  ASSERT_EQ(found->model()->rowCount(), 1) << hub.banner().text().toStdString();
  EXPECT_EQ(found->model()->index(0, 1).data().toString(), "versions");
  EXPECT_EQ(found->model()->index(0, 2).data().toString(), "0 B");  // it is all here
  EXPECT_TRUE(found->model()->index(0, 6).data().toString().contains("tuned"));
  click(hub, "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            "strata -C " + sample_.folder() + " search --remote share");
  auto* pane = hub.findChild<gui::RepositoryPane*>();
  pane->findChild<QTabWidget*>()->setCurrentIndex(2);
  QSignalSpy shown(pane, &gui::RepositoryPane::loaded);
  found->selectRow(0);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  auto& versions = *table(hub, "Versions of the repository");
  ASSERT_EQ(versions.model()->rowCount(), 2);
  EXPECT_EQ(versions.model()->index(0, 4).data().toString(), "none: a base");
  EXPECT_EQ(versions.model()->index(1, 4).data().toString(), "base:v1");
  EXPECT_FALSE(button(hub, "Open page")->isEnabled());
  click(hub, "Get...");
  EXPECT_EQ(window_.page(), Page::Remotes);
}

TEST_F(HubTest, KeepsWhatWasFoundWhenASearchFails) {
  open();
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "true")),
            gui::Job::State::Finished);
  window_.showPage(Page::Hub);
  gui::HubPage& hub = window_.pages().hub();
  type(hub, "Words in the models' names", "distilbert");
  press(Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return hub.banner().text().contains("STRATA-E801"); }))
      << hub.banner().text().toStdString();
  EXPECT_NE(button(hub.banner(), "Try again"), nullptr);
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "false")),
            gui::Job::State::Finished);
}

/// A hub with a plain model, a large one and a repository of versions.
class FakeHub {
 public:
  explicit FakeHub(std::string model)
      : model_(std::move(model)),
        server_([this](const SeenRequest& request) { return answer(request); }) {
    qputenv("HF_ENDPOINT", QByteArray::fromStdString(server_.url("")));
  }
  ~FakeHub() { qunsetenv("HF_ENDPOINT"); }

  int modelReads() const { return modelReads_; }
  /// What was asked for last; once the answer has come.
  std::string lastSearch() const {
    const std::lock_guard guard(mutex_);
    return lastSearch_;
  }

 private:
  FaultReply answer(const SeenRequest& request) {
    const auto isOf = [&](const char* path) { return request.target.starts_with(path); };
    if (isOf("/api/models?")) {
      const std::lock_guard guard(mutex_);
      lastSearch_ = request.target;
      return {.body = R"([{"id":"acme/plain","tags":["safetensors","license:mit"],)"
                      R"("usedStorage":355000,"lastModified":"2026-01-02T03:04:05"},)"
                      R"({"id":"acme/large","tags":["onnx"],"usedStorage":900000000}])"};
    }
    if (isOf("/api/models/acme/plain/revision/")) {
      return {.body = R"({"sha":"0123456789012345678901234567890123456789",)"
                      R"("cardData":{"license":"mit"}})"};
    }
    if (isOf("/api/models/acme/plain/tree/")) {
      const std::string size = std::to_string(model_.size());
      return {.body = R"([{"type":"file","path":"model.safetensors","oid":"x","size":)" + size +
                      R"(,"lfs":{"size":)" + size + R"(,"oid":")" +
                      toHex(sha256(std::as_bytes(std::span(model_)))) + R"("}}])"};
    }
    if (request.target.ends_with("/README.md")) {
      return {.body =
                  "---\nlicense: mit\n---\n# A plain model\n![logo](http://127.0.0.1:1/x.png)"
                  "<img src=\"http://127.0.0.1:1/y.png\"> **bold** words\n"};
    }
    if (request.target.ends_with("/model.safetensors")) {
      ++modelReads_;
      return {.body = model_};
    }
    return {.status = 404};
  }

  std::string model_;
  std::atomic<int> modelReads_ = 0;
  mutable std::mutex mutex_;
  std::string lastSearch_;  ///< guarded by mutex_
  FaultServer server_;
};

class FakeHubTest : public HubTest {
 protected:
  FakeHubTest() : hub_(readWhole(writeModel(sample_.files(), "plain.safetensors", 40))) {}

  gui::HubPage& page() { return window_.pages().hub(); }
  gui::TableView& found() { return *table(page(), "Models that were found"); }
  void search() {
    open();
    window_.showPage(Page::Hub);
    QSignalSpy searched(&page(), &gui::HubPage::searched);
    click(page(), "Search");
    ASSERT_TRUE(searched.wait(kPatienceMs));
    ASSERT_EQ(found().model()->rowCount(), 2) << page().banner().text().toStdString();
  }

  FakeHub hub_;
};

TEST_F(FakeHubTest, ImportsAPlainModelAsAJob) {
  search();
  found().selectRow(0);
  EXPECT_EQ(edit(page(), "Stored as")->text(), "plain");
  type(page(), "Stored as", "mine");
  EXPECT_TRUE(commands(page()).back().endsWith("import hf://acme/plain --name mine"));
  QSignalSpy imported(&page(), &gui::HubPage::imported);
  click(page(), "Import");
  ASSERT_TRUE(imported.wait(kPatienceMs)) << page().banner().text().toStdString();
  EXPECT_EQ(imported[0][0].toString(), "mine:v1");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));
  const auto mine = session().store()->resolve("mine");
  ASSERT_TRUE(mine);
  EXPECT_TRUE(mine->sourceUrl.starts_with("hf://acme/plain@0123"));
}

TEST_F(FakeHubTest, ImportsAPlainModelAsAVersionOfABase) {
  search();
  found().selectRow(0);
  QComboBox* as = box(page(), "As a base or a version");
  ASSERT_EQ(as->count(), 3);
  as->setCurrentIndex(1);
  EXPECT_TRUE(commands(page()).back().endsWith("add plain hf://acme/plain --exact"));
  as->setCurrentIndex(2);
  EXPECT_TRUE(commands(page()).back().endsWith("add plain hf://acme/plain --base base:v1 --exact"));
  QSignalSpy imported(&page(), &gui::HubPage::imported);
  click(page(), "Import");
  ASSERT_TRUE(imported.wait(kPatienceMs)) << page().banner().text().toStdString();
  const auto plain = session().store()->resolve("plain");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->parentDigest, session().store()->resolve("base")->contentDigest);
  EXPECT_FALSE(plain->lossy);
  EXPECT_TRUE(plain->sourceUrl.starts_with("hf://acme/plain@0123"));
}

TEST_F(FakeHubTest, NarrowsWhatWasFoundByLicense) {
  search();
  QComboBox* license = box(page(), "License");
  license->setCurrentIndex(license->findData("mit"));
  ASSERT_EQ(found().model()->rowCount(), 1);
  EXPECT_TRUE(found().model()->index(0, 0).data().toString().contains("plain"));
  EXPECT_TRUE(commands(page()).front().contains(" --license mit"));
  QSignalSpy searched(&page(), &gui::HubPage::searched);
  click(page(), "Search");
  ASSERT_TRUE(searched.wait(kPatienceMs));
  EXPECT_TRUE(hub_.lastSearch().find("filter=license%3Amit") != std::string::npos)
      << hub_.lastSearch();
  EXPECT_EQ(license->currentData().toString(), "mit");
}

TEST_F(FakeHubTest, SaysWhyAModelCouldNotBeImported) {
  search();
  found().selectRow(1);  // the hub does not know it by now
  click(page(), "Import");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("could not be imported"); }))
      << page().banner().text().toStdString();
  EXPECT_TRUE(page().banner().text().contains("STRATA-E5"));
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(FakeHubTest, ShowsTheModelCardAndLoadsNothingThatItNames) {
  search();
  auto* pane = page().findChild<gui::RepositoryPane*>();
  QSignalSpy shown(pane, &gui::RepositoryPane::loaded);
  found().selectRow(0);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  auto* card = page().findChild<gui::CardView*>();
  EXPECT_EQ(card->toPlainText(), "A plain model\nlogo bold words");
  EXPECT_FALSE(card->toHtml().contains("<img"));
}

TEST_F(FakeHubTest, ListsFilesWithoutFetchingThem) {
  search();
  auto* pane = page().findChild<gui::RepositoryPane*>();
  pane->findChild<QTabWidget*>()->setCurrentIndex(1);
  QSignalSpy shown(pane, &gui::RepositoryPane::loaded);
  found().selectRow(0);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  auto& files = *table(page(), "Files of the repository");
  ASSERT_EQ(files.model()->rowCount(), 1);
  EXPECT_EQ(files.model()->index(0, 0).data().toString(), "model.safetensors");
  EXPECT_EQ(hub_.modelReads(), 0);
  pane->findChild<QTabWidget*>()->setCurrentIndex(2);
  ASSERT_EQ(shown.count(), 2);  // a plain model has none: nobody is asked
  EXPECT_EQ(table(page(), "Versions of the repository")->model()->rowCount(), 0);
  found().selectRow(1);  // the hub does not know it by now
  pane->findChild<QTabWidget*>()->setCurrentIndex(1);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(files.model()->rowCount(), 0);
}

TEST_F(FakeHubTest, NarrowsWhatWasFoundBySize) {
  search();
  QComboBox* size = box(page(), "Size");
  const auto shown = [&] { return found().model()->rowCount(); };
  size->setCurrentIndex(1);
  EXPECT_EQ(shown(), 1);
  EXPECT_TRUE(found().model()->index(0, 0).data().toString().contains("plain"));
  EXPECT_TRUE(commands(page()).front().contains(" --max-size 50MB"));
  size->setCurrentIndex(3);
  EXPECT_EQ(shown(), 1);
  EXPECT_TRUE(found().model()->index(0, 0).data().toString().contains("large"));
  size->setCurrentIndex(0);
  EXPECT_EQ(shown(), 2);
}

TEST_F(FakeHubTest, KeepsWhatWasFoundForTheNextRun) {
  search();
  ASSERT_TRUE(waitFor([] { return gui::FoundList::load().rows.size() == 2; }));
  gui::MainWindow next{gui::Preferences{}};
  auto& view = *table(next.pages().hub(), "Models that were found");
  ASSERT_TRUE(waitFor([&] { return view.model()->rowCount() == 2; }));
  EXPECT_EQ(view.model()->index(0, 0).data().toString(), "hf://acme/plain");
  const auto labels = next.pages().hub().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text() == "2 models found on hf://, just now";
  }));
}

}  // namespace
}  // namespace strata::test
