// The pages of remotes and transfers.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLabel>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "gui/jobs/change_ops.h"
#include "gui/jobs/remote_counts.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/models/wording.h"
#include "gui/pages/restore_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/pull_pane.h"
#include "gui/widgets/panes/push_pane.h"
#include "gui/widgets/views/capped_text.h"
#include "gui/widgets/views/place_list.h"
#include "gui/widgets/views/table_view.h"
#include "hub/folder/folder_transport.h"
#include "onnx_io/model_reader.h"
#include "tests/gui/care_fixture.h"
#include "tests/support/fault_server.h"

namespace strata::test {
namespace {

class RemotesTest : public CareTest {
 protected:
  gui::PushPane& pane() { return *remotes().findChild<gui::PushPane*>(); }

  /// Opens another store, which has nothing but the share as a remote: a folder, named by its path.
  void openEmptyStoreWithShare() {
    QSignalSpy opened(&session(), &gui::StoreSession::listed);
    session().open(inFolder("second"), gui::StoreSession::Opening::Create);
    ASSERT_TRUE(opened.wait(kPatienceMs));
    window_.showPage(Page::Remotes);
    type(remotes(), "Name of a new remote", "share");
    type(remotes(), "URL of a new remote", inFolder("share"));
    click(remotes(), "Add remote");
  }
};

TEST_F(RemotesTest, PlansAPushAndSendsItAsATransfer) {
  open();
  addShare();
  QSignalSpy planned(&remotes(), &gui::RemotesPage::planned);
  window_.showPage(Page::Library);
  window_.pages().library().select("tuned:v2");
  press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  const auto* title = pane().findChild<QLabel*>();
  EXPECT_TRUE(title->text().startsWith("Would send")) << title->text().toStdString();
  EXPECT_FALSE(std::filesystem::exists(sample_.files() / "share" / "objects"));
  click(pane(), "Push");
  ASSERT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  EXPECT_EQ(window_.transfers().transfers()[0].state, gui::Transfer::State::Done);
  remotes().push({"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }));
}

TEST_F(RemotesTest, SendsOnlyTheVersionsWhoseBoxesAreChecked) {
  open();
  addShare();
  remotes().push({});
  ASSERT_TRUE(waitFor([&] { return pane().isVisible(); }));
  auto* versions = table(pane(), "Versions to push");
  ASSERT_EQ(versions->model()->rowCount(), 3);
  EXPECT_TRUE(pane().request().references.empty()) << "all, whatever there is by then";
  const auto check = [&](const QString& label) {
    for (int row = 0; row < versions->model()->rowCount(); ++row) {
      const QModelIndex cell = versions->model()->index(row, 0);
      if (cell.data().toString() != label) continue;
      versions->setCurrentIndex(cell);
      QTest::keyClick(versions, Qt::Key_Space);
    }
  };
  check("tuned:v2");
  EXPECT_EQ(pane().request().references, (std::vector<std::string>{"base:v1", "tuned:v1"}));
  check("base:v1");  // what is a difference to it cannot go alone
  EXPECT_FALSE(button(pane(), "Push")->isEnabled());
  check("tuned:v1");  // brings the base along
  EXPECT_EQ(pane().request().references, (std::vector<std::string>{"base:v1", "tuned:v1"}));
  EXPECT_TRUE(commands(pane()).front().endsWith("push base:v1 tuned:v1 share"));
  click(pane(), "Push");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  const auto there = remoteDifference(*session().store(), "share");
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->versionCount, 2U);
}

/// As the command line says it, from the same report.
TEST_F(RemotesTest, SaysWhatAPushDoesToTagsAndNotes) {
  open();
  PushReport plan;
  EXPECT_FALSE(gui::PushPane::isWorthShowing(plan));
  plan.tags = {{.tag = "run:new", .from = {}, .to = "run:v2"},
               {.tag = "run:prod", .from = "run:v1", .to = "run:v2"}};
  plan.tagsMovedThere = {"run:moved"};
  plan.tagsTakenThere = {"run:taken"};
  plan.tagsInDoubt = {"run:doubtful"};
  plan.tagsRemovedHere = {"run:removed"};
  plan.modesElsewhere = {"run:v1"};
  EXPECT_TRUE(gui::PushPane::isWorthShowing(plan));
  pane().showPlan("share", "file:///share", {}, plan);
  const QString said = pane().findChild<gui::CappedText*>()->text();
  for (const char* line :
       {"Tag run:new would be run:v2 there", "Tag run:prod would be run:v2 there, before run:v1",
        "Tag run:moved was moved there", "Tag run:taken was taken off there",
        "Tag run:doubtful is not there and stays off", "Tag run:removed was removed here",
        "run:v1 may have other permissions there"}) {
    EXPECT_TRUE(said.contains(line)) << line << "\n" << said.toStdString();
  }
  // Tags alone are worth a push, and those that were taken off can be put back.
  EXPECT_TRUE(button(pane(), "Push")->isEnabled());
  auto* tags = pane().findChild<QCheckBox*>();
  EXPECT_FALSE(tags->isHidden());
  EXPECT_TRUE(tags->text().contains("run:taken, run:doubtful"));
  tags->setChecked(true);
  EXPECT_TRUE(pane().request().forceTags);
  // So are those alone of which it is not known whether they were.
  PushReport doubtful;
  doubtful.tagsInDoubt = {"run:doubtful"};
  EXPECT_TRUE(gui::PushPane::isWorthShowing(doubtful));
  pane().showPlan("share", "file:///share", {}, doubtful);
  EXPECT_FALSE(tags->isHidden());
  EXPECT_EQ(tags->text(), "Tags there as here: run:doubtful");
}

TEST_F(RemotesTest, LetsANewRepositoryOfAHubBePublic) {
  open();
  pane().showPlan("hub", "hf://acme/models", {}, PushReport{});
  EXPECT_FALSE(pane().request().makePublic);
  QComboBox* visibility = box(pane(), "A new repository is");
  EXPECT_FALSE(visibility->isHidden());
  visibility->setCurrentIndex(1);
  EXPECT_TRUE(pane().request().makePublic);
  EXPECT_TRUE(commands(pane()).front().contains(" --public"));
  pane().showPlan("share", "file:///share", {}, PushReport{});
  EXPECT_TRUE(visibility->isHidden()) << "a folder is neither";
  EXPECT_FALSE(pane().request().makePublic);
}

TEST_F(RemotesTest, StandInTheSidebarWithWhatIsToPushAndPull) {
  open();
  addShare();
  const auto* places = window_.findChild<gui::PlaceList*>();
  const auto row = [&]() -> QModelIndex {
    for (int i = 0; i < places->model()->rowCount(); ++i) {
      const QModelIndex one = places->model()->index(i, 0);
      if (one.data(Qt::AccessibleTextRole).toString().startsWith("share: ")) return one;
    }
    return {};
  };
  const auto says = [&](const char* words) {
    return waitFor([&] {
      return row().isValid() && row().data(Qt::AccessibleTextRole).toString().contains(words);
    });
  };
  ASSERT_TRUE(says("3 versions to push, 0 to pull")) << row().data().toString().toStdString();
  EXPECT_TRUE(row().data().toString().contains("3\u2191"));
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {"tuned:v1"});
  ASSERT_TRUE(says("1 version to push, 0 to pull"));
  // Another store pushes, and the command line asks what there is.
  QSignalSpy counted(window_.findChild<gui::RemoteCounts*>(), &gui::RemoteCounts::changed);
  auto remote = hub::FolderTransport(sample_.files() / "share");
  const StoreSample other;
  other.add("other", 5);
  auto store = Store::open(other.path());
  ASSERT_TRUE(store);
  PushOptions options;
  options.references = {"other"};
  ASSERT_TRUE(pushVersions(**store, remote, options, {}, {}));
  ASSERT_TRUE(fetchRemote(*session().store(), remote, "share", {}));
  ASSERT_TRUE(says("1 version to push, 1 to pull")) << row().data().toString().toStdString();
  EXPECT_TRUE(row().data().toString().contains("1\u2191 1\u2193"));
  window_.showPage(Page::Library);
  const_cast<gui::PlaceList*>(places)->setCurrentIndex(row());
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_EQ(box(remotes(), "Remote")->currentText(), "share");
}

TEST_F(RemotesTest, MovesATagThatPointsElsewhereOnTheRemoteOnlyWhenAsked) {
  open();
  addShare();
  const auto tag = [&](const char* reference, bool move) {
    ASSERT_EQ(
        run(session().queue(),
            gui::tagJob(session().store(), {.reference = reference, .tag = "prod", .move = move})),
        gui::Job::State::Finished);
  };
  tag("tuned:v1", false);
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  tag("tuned:v2", true);
  // Nobody knows who moved it.
  ASSERT_TRUE(std::filesystem::remove(sample_.folder().toStdString() + "/remotes/share.tags"));
  const std::string model = sample_.add("tuned", 9).version.label();
  ASSERT_EQ(model, "tuned:v3");
  window_.showPage(Page::Remotes);
  remotes().push({"tuned:v2", "tuned:v3"});
  ASSERT_TRUE(waitFor([&] { return pane().isVisible(); }))
      << remotes().banner().text().toStdString();
  auto* move = pane().findChild<QCheckBox*>();
  ASSERT_TRUE(move->isVisible() && move->text().contains("tuned:prod"));
  EXPECT_FALSE(pane().request().forceTags);
  move->click();
  EXPECT_TRUE(commands(pane()).front().contains(" --force-tag"));
  click(pane(), "Push");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers().back().isOver(); }));
  EXPECT_TRUE(window_.transfers().transfers().back().request.forceTags);
  remotes().push({});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }))
      << remotes().banner().text().toStdString();
}

TEST_F(RemotesTest, FetchesThePacksThatARestoreNeeds) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  // A second store has the manifests alone.
  QSignalSpy listed(&session(), &gui::StoreSession::listed);
  session().open(inFolder("second"), gui::StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  const RemoteConfig share{.name = "share", .url = sample_.share()};
  ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(session().store(), share)),
            gui::Job::State::Finished);
  ASSERT_EQ(run(session().queue(),
                gui::pullJob(session().store(), "share", {.lazy = true, .keptAs = "share"})),
            gui::Job::State::Finished);
  ASSERT_TRUE(removeVersions(*session().store(), {.references = {"base"}}));
  session().refresh();
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  gui::RestorePage& page = window_.pages().restore();
  QSignalSpy planned(&page, &gui::RestorePage::planned);
  emit window_.bench().restore("tuned:v2");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_TRUE(page.banner().text().contains("packs of it are not here"))
      << page.banner().text().toStdString();
  EXPECT_FALSE(button(page, "Restore")->isEnabled());
  click(page.banner(), "Fetch them from share");
  EXPECT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  ASSERT_TRUE(waitFor([&] { return session().snapshot()->totals.awaitedVersions == 1; }));
  emit window_.bench().restore("tuned:v2");
  page.setTarget(inFolder("out.safetensors"));
  ASSERT_TRUE(waitFor([&] { return button(page, "Restore")->isEnabled(); }));
  EXPECT_EQ(page.banner().text(), "");
  QSignalSpy restored(&page, &gui::RestorePage::restored);
  click(page, "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_FALSE(session().store()->resolve("base"));  // it was removed, and stays so
}

TEST_F(RemotesTest, PlansAPullWithTheBaseThatComesAlong) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  ASSERT_NO_FATAL_FAILURE(openEmptyStoreWithShare());
  auto* versions = table(remotes(), "Versions of the remote");
  ASSERT_TRUE(waitFor([&] { return versions->model()->rowCount() == 3; }));
  const auto row = [&](const QString& label) {
    // Rows go and come while the list is read again.
    const int count = versions->model()->rowCount();
    int found = 0;
    while (found < count && versions->model()->index(found, 0).data().toString() != label) ++found;
    return found;
  };
  const auto needed = [&](const QString& label) {
    return versions->model()->index(row(label), 2).data(gui::SortRole).toULongLong();
  };
  // Rows come with the list, what they need once the store was asked for it.
  ASSERT_TRUE(waitFor([&] { return needed("base:v1") > 0; }));
  EXPECT_GT(needed("tuned:v1"), needed("base:v1")) << "the base comes along";
  const auto told = needed("tuned:v1");
  versions->selectRow(row("tuned:v1"));
  ASSERT_TRUE(waitFor([&] { return button(remotes(), "Pull...")->isEnabled(); }));
  QSignalSpy planned(&remotes(), &gui::RemotesPage::planned);
  click(remotes(), "Pull...");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  auto& plan = *remotes().findChild<gui::PullPane*>();
  ASSERT_TRUE(plan.isVisible());
  const auto* coming = table(plan, "Versions to pull");
  ASSERT_EQ(coming->model()->rowCount(), 2);
  EXPECT_EQ(coming->model()->index(0, 0).data().toString(), "base:v1");
  EXPECT_TRUE(plan.findChild<QLabel*>()->text().contains(gui::bytesText(told)))
      << plan.findChild<QLabel*>()->text().toStdString();
  EXPECT_TRUE(commands(plan).front().endsWith("pull tuned:v1 share"));
  picture("pull-plan");
  plan.findChild<QCheckBox*>()->click();  // manifests alone are less
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_TRUE(plan.request().lazy);
  EXPECT_FALSE(plan.findChild<QLabel*>()->text().contains(gui::bytesText(told)));
  plan.findChild<QCheckBox*>()->click();
  ASSERT_TRUE(planned.wait(kPatienceMs));
  click(plan, "Pull");
  EXPECT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Remotes);
  ASSERT_TRUE(waitFor([&] { return versions->model()->rowCount() == 3; }));
  versions->selectRow(row("tuned:v1"));
  click(remotes(), "Pull...");
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("here already"); }));
}

TEST_F(RemotesTest, FetchesABaseElsewhereOnceItsPlaceWasShown) {
  const std::string plain = writeModel(sample_.files(), "public.safetensors", 21);
  FaultServer web([&](const SeenRequest&) { return FaultReply{.body = readWhole(plain)}; });
  const std::string place = web.url("/model.safetensors");
  auto share = hub::FolderTransport(sample_.files() / "share");
  ASSERT_NO_FATAL_FAILURE(sendWithoutBase(plain, place, share));
  open();
  ASSERT_NO_FATAL_FAILURE(openEmptyStoreWithShare());
  auto* versions = table(remotes(), "Versions of the remote");
  ASSERT_TRUE(waitFor([&] { return versions->model()->rowCount() == 1; }));
  versions->selectRow(0);
  QSignalSpy planned(&remotes(), &gui::RemotesPage::planned);
  click(remotes(), "Pull...");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  auto& plan = *remotes().findChild<gui::PullPane*>();
  ASSERT_EQ(plan.bases().size(), 1U);
  EXPECT_EQ(plan.bases()[0].url, place);
  EXPECT_TRUE(commands(plan).front().endsWith("--fetch-bases"));
  EXPECT_TRUE(web.seen().empty());
  click(plan, "Pull");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  EXPECT_EQ(window_.transfers().transfers()[0].state, gui::Transfer::State::Done)
      << window_.transfers().transfers()[0].words.toStdString();
  EXPECT_EQ(web.seen().size(), 1U);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
}

TEST_F(RemotesTest, LooksAgainWhereThePlanSaysOtherThanTheSidebar) {
  open();
  addShare();
  // Another program pushes all, and the window's listing is old.
  auto remote = hub::FolderTransport(sample_.files() / "share");
  auto store = Store::open(sample_.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(pushVersions(**store, remote, {}, {}, {}));
  remotes().push({});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("All versions are on"); }));
  auto* versions = table(remotes(), "Versions of the remote");
  ASSERT_TRUE(waitFor([&] { return versions->model()->rowCount() == 3; }));
  EXPECT_TRUE(remotes().banner().text().contains("All versions are on"));
  remotes().push({"tuned:v1"});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("tuned:v1"); }));
}

TEST_F(RemotesTest, SaysThatThereIsNoRemoteToPushTo) {
  open();
  press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_TRUE(remotes().banner().text().contains("no remote"));
}

TEST_F(RemotesTest, RefusesARemoteOfAnUnknownKind) {
  open();
  window_.showPage(Page::Remotes);
  EXPECT_FALSE(button(remotes(), "Add remote")->isEnabled());
  type(remotes(), "Name of a new remote", "bad");
  type(remotes(), "URL of a new remote", "ftp://example.org");
  click(remotes(), "Add remote");
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("STRATA-E2"); }))
      << remotes().banner().text().toStdString();
}

TEST_F(RemotesTest, ForgetsARemote) {
  open();
  addShare();
  click(remotes(), "Forget");
  ASSERT_TRUE(waitFor([&] { return !button(remotes(), "Forget")->isEnabled(); }));
  EXPECT_TRUE(std::filesystem::exists(sample_.files() / "share"));
}

TEST_F(RemotesTest, RetriesAndClearsTransfers) {
  open();
  window_.transfers().setRetryDelay(1);
  window_.transfers().add(gui::Transfer::Direction::Pull, "nowhere", {"x:v1"});
  press(Qt::Key_L, Qt::ControlModifier);
  ASSERT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  QWidget& page = *window_.centralWidget();
  gui::TableView* view = nullptr;
  for (auto* one : page.findChildren<gui::TableView*>()) {
    if (one->accessibleName() == "Transfers") view = one;
  }
  ASSERT_NE(view, nullptr);
  view->selectRow(0);
  EXPECT_FALSE(button(page, "Resume all")->isEnabled());
  click(page, "Resume");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  click(page, "Clear finished");
  EXPECT_TRUE(window_.transfers().transfers().empty());
}

}  // namespace
}  // namespace strata::test
