// The storage page: checks, repair, the trash.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include "core/ops/care/store_parity.h"
#include "gui/jobs/change_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/views/table_view.h"
#include "tests/gui/care_fixture.h"

namespace strata::test {
namespace {

class StorageTest : public CareTest {};

TEST_F(StorageTest, SaysWhereThereIsNothingToCleanUp) {
  openStorage();
  click(storage(), "Clean up...");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Nothing to free"); }));
}

TEST_F(StorageTest, AsksBeforeItCleansUp) {
  openStorage();
  const auto left = sample_.path() / "objects" / "aa" / std::string(62, 'b');
  std::filesystem::create_directories(left.parent_path());
  writeWhole(left, "left");
  click(storage(), "Clean up...");
  answer("Cancel");
  EXPECT_TRUE(std::filesystem::exists(left));
  click(storage(), "Clean up...");
  answer("Delete");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Freed 4 B"); }));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(StorageTest, SaysWhatParityProtects) {
  const auto says = [&](const QString& words) {
    for (const QLabel* const label : storage().findChildren<QLabel*>()) {
      if (label->text().contains(words)) return true;
    }
    return false;
  };
  openStorage();
  EXPECT_TRUE(says("Parity: off"));
  {
    const auto store = Store::open(sample_.path());
    ASSERT_TRUE(store);
    ASSERT_TRUE(setParity(**store, "2/10", {}, {}));
  }
  QSignalSpy verified(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify quickly");
  ASSERT_TRUE(verified.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("Parity 2/10: "));
  EXPECT_TRUE(storage().banner().text().contains("are protected by"));
  ASSERT_TRUE(waitFor([&] { return says("Parity 2/10: "); })) << "after the store was read anew";
}

TEST_F(StorageTest, FetchesAgainWhatACheckFindsDamaged) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  sample_.damage("tuned:v2");
  window_.showPage(Page::Storage);
  const auto* const repair = button<QPushButton>(storage(), "Repair");
  ASSERT_TRUE(waitFor([&] { return repair->menu()->actions().size() == 2; }));
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("cannot be restored"));
  click(storage().banner(), "Copy report");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("tuned:v2"));
  click(storage().banner(), "Fetch again from share");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("sound"))
      << storage().banner().text().toStdString();
  EXPECT_TRUE(storage().banner().text().contains("Fetched 1 object"));
}

TEST_F(StorageTest, AsksARemoteAgainWhereWhatIsKeptOfItIsDamaged) {
  open();
  addShare();
  // The page of remotes asks the share once the push is over, which must be over, too.
  QSignalSpy listed(&remotes(), &gui::RemotesPage::listed);
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  ASSERT_TRUE(waitFor([&] { return listed.count() >= 1; }));
  writeWhole(sample_.path() / "remotes" / "share.tags", "cut");
  window_.showPage(Page::Storage);
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  const QString said = storage().banner().text();
  EXPECT_TRUE(said.contains("What is kept of share is damaged")) << said.toStdString();
  EXPECT_FALSE(said.contains("cannot be restored")) << said.toStdString();
  for (const auto* one : storage().banner().findChildren<QPushButton*>()) {
    EXPECT_FALSE(one->isVisible() && one->text().contains("Repair")) << "it mends nothing of that";
  }
  click(storage().banner(), "Ask share again");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("The store is sound."); }))
      << storage().banner().text().toStdString();
}

TEST_F(StorageTest, WritesALostRefAnewWithoutARemote) {
  openStorage();
  std::filesystem::remove(sample_.path() / "refs" / "tuned" / "v2.json");
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_FALSE(storage().banner().text().contains("sound"));
  click(storage().banner(), "Repair with what is here");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("sound"))
      << storage().banner().text().toStdString();
  EXPECT_TRUE(storage().banner().text().contains("Wrote its ref anew: tuned:v2"));
  EXPECT_TRUE(std::filesystem::exists(sample_.path() / "refs" / "tuned" / "v2.json"));
}

TEST_F(StorageTest, SaysWhosePermissionsWereLost) {
  const std::string file = writeTuned(sample_.files(), "own.safetensors", 21, 4);
  Digest manifest;
  {
    const auto store = Store::open(sample_.path());
    ASSERT_TRUE(store);
    for (const auto mode : {0644U, 0600U}) {
      std::filesystem::permissions(file, std::filesystem::perms{mode});
      const auto added = addVersion(**store, **openModel(file), {.name = "own"}, {}, {});
      ASSERT_TRUE(added) << added.error().message;
      manifest = added->version.manifestDigest;
    }
    std::filesystem::remove((*store)->objects().pathOf(manifest));
  }
  openStorage();
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  click(storage().banner(), "Repair with what is here");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  const QString said = storage().banner().text();
  EXPECT_TRUE(said.contains("Wrote its ref anew: own:v2")) << said.toStdString();
  EXPECT_TRUE(said.contains("they are yours alone from now on: own:v2")) << said.toStdString();
}

TEST_F(StorageTest, SaysWhatIsNotFinished) {
  openStorage();
  // As a killed add leaves it: a ref that the catalog does not know, and a lock with its owner.
  writeWhole(sample_.path() / "lock", "1\nnowhere\n1700000000\nadd\n");
  const gui::StorePtr store = session().store();
  VersionRef next = store->refs().readVersion("tuned", 2).value();
  next.number = 3;
  ASSERT_TRUE(store->refs().writeNewVersion(next));
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("Not finished, and no damage"))
      << storage().banner().text().toStdString();
}

TEST_F(StorageTest, CopiesCareAsCommands) {
  openStorage();
  const QStringList texts = commands(storage());
  const QString store = "strata -C " + sample_.folder();
  EXPECT_TRUE(texts.contains(store + " verify"));
  EXPECT_TRUE(texts.contains(store + " gc --yes")) << texts.join('\n').toStdString();
  EXPECT_TRUE(texts.contains(store + " trash empty"));
  QTest::mouseClick(button(storage(), "Copy as command"), Qt::LeftButton);
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  ASSERT_NE(menu, nullptr);
  ASSERT_EQ(menu->actions().size(), texts.size());
  menu->actions().front()->trigger();
  menu->close();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), texts.front());
}

TEST_F(StorageTest, BringsBackAndEmptiesTheTrash) {
  open();
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Storage);
  gui::TableView* trash = nullptr;
  for (auto* view : storage().findChildren<gui::TableView*>()) {
    if (view->accessibleName() == "Trash") trash = view;
  }
  ASSERT_NE(trash, nullptr);
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 1; }));
  trash->selectRow(0);
  click(storage(), "Bring back");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3 && trash->model()->rowCount() == 0; }));
  EXPECT_FALSE(button(storage(), "Empty the trash...")->isEnabled());
  window_.showPage(Page::Library);
  window_.pages().library().select("tuned:v2");
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Storage);
  click(storage(), "Empty the trash...");
  answer("Delete");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Freed"); }));
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 0; }));
  EXPECT_EQ(rowCount(), 2U);
}

TEST_F(StorageTest, SaysUntilWhenTheTrashIsKeptAndDeletesWhatHasExpired) {
  openStorage();
  ASSERT_EQ(run(session().queue(), gui::removeJob(session().store(), {.references = {"tuned:v2"}})),
            gui::Job::State::Finished);
  auto* trash = table(storage(), "Trash");
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 1; }));
  const std::int64_t removed = session().snapshot()->trash.versions[0].removedAt;
  const auto kept = [&] { return trash->model()->index(0, 2).data().toString(); };
  EXPECT_EQ(kept(), gui::dateText(removed + 14 * 86'400));
  EXPECT_FALSE(button(storage(), "Delete expired...")->isEnabled());
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("trash.days", "0")),
            gui::Job::State::Finished);
  ASSERT_TRUE(waitFor([&] {
    session().refresh();
    return button(storage(), "Delete expired...")->isEnabled();
  })) << "removed in an earlier second than now";
  EXPECT_EQ(kept(), gui::dateText(removed));
  EXPECT_TRUE(commands(storage()).join('|').contains("trash empty --expired"));
  click(storage(), "Delete expired...");
  answer("Delete");
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 0; }));
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("trash.days", "14")),
            gui::Job::State::Finished);
}

TEST_F(StorageTest, KeepsWhenObjectsAndVersionsWereChecked) {
  openStorage();
  auto* objects = table(storage(), "Objects");
  EXPECT_EQ(objects->model()->index(0, 4).data().toString(), "");
  EXPECT_EQ(objects->model()->index(0, 5).data().toString(), "not checked yet");
  click(storage(), "Verify all");
  ASSERT_TRUE(waitFor([&] { return session().snapshot()->rows[0].version.checkedAt != 0; }));
  ASSERT_TRUE(waitFor([&] { return objects->model()->index(0, 4).data() == "just now"; }));
  EXPECT_EQ(objects->model()->index(0, 5).data().toString(), "ok");
  window_.showPage(Page::Library);
  window_.pages().library().select("tuned:v1");
  const auto labels = window_.pages().library().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->accessibleName() == "Verified" && label->text() == "just now";
  }));
}

}  // namespace
}  // namespace strata::test
