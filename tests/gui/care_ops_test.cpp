#include "gui/jobs/care_ops.h"

#include <gtest/gtest.h>

#include <QTest>
#include <filesystem>

#include "core/store/store_writer.h"
#include "gui/jobs/auth_ops.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Job;
using gui::StoreSession;

class CareOps : public ::testing::Test {
 protected:
  void SetUp() override { open(sample_.folder(), StoreSession::Opening::Existing); }
  void open(const QString& folder, StoreSession::Opening how) {
    QSignalSpy listed(&session_, &StoreSession::listed);
    session_.open(folder, how);
    ASSERT_TRUE(listed.wait(kPatienceMs));
  }
  template <typename AnyJob>
  Job::State finish(AnyJob* job, const std::function<void()>& done = {}) {
    return run(session_.queue(), job, done);
  }
  GarbageReport garbage(bool dryRun) {
    auto* job = gui::garbageJob(session_.store(), dryRun);
    GarbageReport report;
    EXPECT_EQ(finish(job, [&] { report = job->report(); }), Job::State::Finished);
    return report;
  }
  std::size_t damages() {
    auto* job = gui::verifyJob(session_.store(), {.level = VerifyOptions::Level::Full});
    std::size_t count = 0;
    EXPECT_EQ(finish(job, [&] { count = job->report().damages.size(); }), Job::State::Finished);
    return count;
  }
  void addShare() {
    ASSERT_EQ(
        finish(gui::saveRemoteJob(session_.store(), {.name = "share", .url = sample_.share()})),
        Job::State::Finished);
  }

  StoreSample sample_;
  StoreSession session_;
};

TEST_F(CareOps, FreesOnlyWhatNothingNeedsAndOnlyWhenMeant) {
  EXPECT_TRUE(garbage(true).freed.empty());
  const auto left = sample_.path() / "objects" / "aa" / std::string(62, 'b');
  std::filesystem::create_directories(left.parent_path());
  writeWhole(left, "left by an interrupted add");
  EXPECT_EQ(garbage(true).freed.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(left));
  const GarbageReport freed = garbage(false);
  EXPECT_EQ(freed.freed.size(), 1U);
  EXPECT_EQ(freed.freedBytes, 26U);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(damages(), 0U);
}

TEST_F(CareOps, RefusesToCleanUpWhileAnotherProgramWrites) {
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  const auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  session_.store()->setLockWait({.longest = std::chrono::milliseconds(0)});
  auto* job = gui::garbageJob(session_.store(), true);
  gui::Problem problem;
  EXPECT_EQ(finish(job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::StoreLocked);
  EXPECT_FALSE(problem.advice.isEmpty());
}

TEST_F(CareOps, RepairsADamagedPackFromARemote) {
  addShare();
  ASSERT_EQ(finish(gui::pushJob(session_.store(), "share", {})), Job::State::Finished);
  sample_.damage("tuned:v2");
  ASSERT_EQ(damages(), 1U);
  auto* job = gui::repairJob(session_.store(), "share");
  std::optional<RepairReport> report;
  EXPECT_EQ(finish(job, [&] { report = job->report(); }), Job::State::Finished);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->objectCount, 1U);
  EXPECT_EQ(report->before.damages.size(), 1U);
  EXPECT_TRUE(report->after.sound());
  EXPECT_EQ(damages(), 0U);
}

TEST_F(CareOps, SaysWhatARemoteCannotGive) {
  addShare();
  sample_.damage("tuned:v1");
  auto* job = gui::repairJob(session_.store(), "share");
  std::optional<RepairReport> report;
  EXPECT_EQ(finish(job, [&] { report = job->report(); }), Job::State::Finished);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->objectCount, 0U);
  EXPECT_FALSE(report->after.sound());
}

TEST_F(CareOps, NamesARemoteThatIsNotKnown) {
  auto* job = gui::repairJob(session_.store(), "nowhere");
  gui::Problem problem;
  EXPECT_EQ(finish(job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::NotFound);
  EXPECT_TRUE(problem.why.contains("nowhere")) << problem.why.toStdString();
}

TEST_F(CareOps, TakesVersionsFromABundle) {
  const QString bundle = sample_.bundle("all.tar");
  open(sample_.folder() + "-other", StoreSession::Opening::Create);
  auto* look = gui::lookIntoBundleJob(session_.store(), bundle);
  std::size_t count = 0;
  EXPECT_EQ(finish(look, [&] { count = look->report().pulled.size(); }), Job::State::Finished);
  EXPECT_EQ(count, 3U);
  EXPECT_TRUE(session_.snapshot()->rows.empty());
  auto* take = gui::importBundleJob(session_.store(), bundle, {});
  EXPECT_EQ(finish(take, [&] { count = take->report().pulled.size(); }), Job::State::Finished);
  EXPECT_EQ(count, 3U);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        session_.refresh();
        return session_.snapshot()->rows.size() == 3;
      },
      kPatienceMs));
}

TEST_F(CareOps, RefusesAFileThatIsNoBundle) {
  writeWhole(sample_.files() / "notes.tar", "no bundle");
  auto* job = gui::importBundleJob(
      session_.store(), QString::fromStdString((sample_.files() / "notes.tar").string()), {});
  EXPECT_EQ(finish(job), Job::State::Failed);
}

/// With credentials of the tests' own home, and no network.
class AuthOps : public CareOps {
 protected:
  void SetUp() override {
    CareOps::SetUp();
    ASSERT_EQ(finish(gui::setSettingJob("offline", "true")), Job::State::Finished);
    ASSERT_EQ(finish(gui::saveRemoteJob(session_.store(), registry_)), Job::State::Finished);
    addShare();
  }
  void TearDown() override {
    (void)finish(gui::logoutJob(sample_.folder(), registry_));
    (void)finish(gui::setSettingJob("offline", "false"));
  }
  std::vector<gui::CredentialRow> rows() {
    auto* job = gui::credentialsJob(sample_.folder());
    std::vector<gui::CredentialRow> found;
    EXPECT_EQ(finish(job, [&] { found = job->report(); }), Job::State::Finished);
    return found;
  }

  const RemoteConfig registry_{.name = "lab", .url = "oci://registry.example.org/models"};
};

TEST_F(AuthOps, ListsTheHubAndRemotesThatWantCredentials) {
  const auto found = rows();
  ASSERT_EQ(found.size(), 2U);  // the folder wants none
  EXPECT_EQ(found[0].host, "huggingface.co");
  EXPECT_EQ(found[1].host, "registry.example.org");
  EXPECT_EQ(found[1].remote.name, "lab");
  EXPECT_TRUE(found[1].status.sources.empty());
}

TEST_F(AuthOps, LogsInAndOutAndNeverTellsTheSecret) {
  auto* login =
      gui::loginJob(sample_.folder(), registry_, {.user = "ann", .secret = "s3cret-word"});
  std::string place;
  ASSERT_EQ(finish(login, [&] { place = login->report().place; }), Job::State::Finished);
  EXPECT_FALSE(place.empty());
  auto found = rows();
  EXPECT_EQ(found[1].status.account, "ann");
  ASSERT_FALSE(found[1].status.sources.empty());
  EXPECT_TRUE(found[1].status.isOurs);
  for (const std::string& source : found[1].status.sources) {
    EXPECT_EQ(source.find("s3cret"), std::string::npos);
  }
  auto* logout = gui::logoutJob(sample_.folder(), registry_);
  bool wasThere = false;
  EXPECT_EQ(finish(logout, [&] { wasThere = logout->report().wasThere; }), Job::State::Finished);
  EXPECT_TRUE(wasThere);
  EXPECT_TRUE(rows()[1].status.sources.empty());
}

TEST_F(AuthOps, RefusesASecretThatCannotBeOneWithoutQuotingIt) {
  auto* login = gui::loginJob(sample_.folder(), registry_, {.user = "ann", .secret = "two words"});
  gui::Problem problem;
  EXPECT_EQ(finish(login, [&] { problem = login->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(problem.report().contains("two words"));
}

TEST_F(AuthOps, ShowsVariablesAsReadOnly) {
  qputenv("HF_TOKEN", "hf_from_the_environment");
  const auto found = rows();
  qunsetenv("HF_TOKEN");
  ASSERT_FALSE(found[0].status.sources.empty());
  EXPECT_EQ(found[0].status.sources.front(), "$HF_TOKEN");
  EXPECT_FALSE(found[0].status.isOurs);
}

}  // namespace
}  // namespace strata::test
