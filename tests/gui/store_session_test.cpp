#include "gui/jobs/store_session.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/store/store_writer.h"
#include "gui/jobs/change_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/jobs/tune_job.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Job;
using gui::StoreSession;

class StoreSessionTest : public ::testing::Test {
 protected:
  void open() {
    QSignalSpy listed(&session_, &StoreSession::listed);
    session_.open(sample_.folder());
    ASSERT_TRUE(listed.wait(kPatienceMs));
    ASSERT_NE(session_.store(), nullptr);
  }
  template <typename AnyJob>
  Job::State finish(AnyJob* job, const std::function<void()>& done = {}) {
    return run(session_.queue(), job, done);
  }
  std::size_t versionCount() {
    QSignalSpy listed(&session_, &StoreSession::listed);
    session_.refresh();
    EXPECT_TRUE(listed.wait(kPatienceMs));
    return session_.snapshot()->rows.size();
  }

  StoreSample sample_;
  StoreSession session_;
};

TEST_F(StoreSessionTest, ListsWhatIsStored) {
  open();
  EXPECT_EQ(session_.snapshot()->rows.size(), 3U);
  EXPECT_EQ(session_.snapshot()->totals.baseCount, 1U);
  EXPECT_EQ(session_.snapshot()->info.totals.versionCount, 2U);
}

TEST_F(StoreSessionTest, SaysWhyAStoreCannotBeOpened) {
  QSignalSpy failed(&session_, &StoreSession::failed);
  session_.open(sample_.folder() + "-missing");
  ASSERT_TRUE(failed.wait(kPatienceMs));
  EXPECT_EQ(failed[0][0].value<gui::Problem>().code, ErrorCode::NoStore);
  EXPECT_EQ(session_.store(), nullptr);
}

TEST_F(StoreSessionTest, RefusesAStoreOfANewerFormat) {
  const auto file = sample_.path() / "store.toml";
  std::string toml = readWhole(file);
  const auto place = toml.find("format = 1");
  ASSERT_NE(place, std::string::npos) << toml;
  writeWhole(file, toml.replace(place, 10, "format = 9"));
  QSignalSpy failed(&session_, &StoreSession::failed);
  session_.open(sample_.folder());
  ASSERT_TRUE(failed.wait(kPatienceMs));
  EXPECT_EQ(failed[0][0].value<gui::Problem>().code, ErrorCode::FormatTooNew);
}

TEST_F(StoreSessionTest, MakesAStore) {
  QSignalSpy listed(&session_, &StoreSession::listed);
  session_.open(sample_.folder() + "-new", StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  EXPECT_TRUE(session_.snapshot()->rows.empty());
}

TEST_F(StoreSessionTest, FollowsWhatAnotherProgramAdds) {
  open();
  sample_.add("other", 9);
  ASSERT_TRUE(QTest::qWaitFor([&] { return session_.snapshot()->rows.size() == 4; }, kPatienceMs));
}

TEST_F(StoreSessionTest, FollowsWhatChangedWhileItOpened) {
  // The snapshot is there, and nobody looks for changes yet.
  QObject::connect(&session_, &StoreSession::opened, [&] { sample_.add("other", 9); });
  session_.open(sample_.folder());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return session_.snapshot() && session_.snapshot()->rows.size() == 4; }, kPatienceMs));
}

TEST_F(StoreSessionTest, ForgetsTheOpeningThatWasReplaced) {
  QSignalSpy opened(&session_, &StoreSession::opened);
  session_.open(sample_.folder() + "-missing");
  session_.open(sample_.folder());
  ASSERT_TRUE(opened.wait(kPatienceMs));
  EXPECT_EQ(session_.folder(), sample_.folder());
}

TEST_F(StoreSessionTest, AddsAModelAndSaysWhatItTook) {
  open();
  const std::string base = writeModel(sample_.files(), "a.safetensors", 30);
  const std::string tuned = writeTuned(sample_.files(), "b.safetensors", 30, 31);
  gui::AddRequest request;
  request.path = QString::fromStdString(base);
  request.options.name = "enc";
  request.isBase = true;
  EXPECT_EQ(finish(gui::addJob(session_.store(), request)), Job::State::Finished);

  auto* look = gui::inspectJob(session_.store(), QString::fromStdString(tuned));
  gui::ModelFacts facts;
  EXPECT_EQ(finish(look, [&] { facts = look->report(); }), Job::State::Finished);
  EXPECT_EQ(facts.tensorCount, 2U);
  ASSERT_EQ(facts.bases.size(), 4U);  // all versions, the one that serves best first
  EXPECT_EQ(facts.bases[0].version.label(), "enc:v1");
  EXPECT_TRUE(facts.bases[0].serves);
  for (std::size_t i = 1; i < facts.bases.size(); ++i) EXPECT_FALSE(facts.bases[i].serves);

  request.path = QString::fromStdString(tuned);
  request.options.name = "task";
  request.isBase = false;
  auto* add = gui::addJob(session_.store(), request);
  std::optional<AddReport> report;
  EXPECT_EQ(finish(add, [&] { report = add->report().added; }), Job::State::Finished);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->version.label(), "task:v1");
  EXPECT_EQ(report->baseLabel, "enc:v1");
  EXPECT_EQ(versionCount(), 5U);
}

TEST_F(StoreSessionTest, AddsWithALossyProfile) {
  open();
  const std::string base = writeModel(sample_.files(), "a.safetensors", 30);
  gui::AddRequest request;
  request.path = QString::fromStdString(base);
  request.options.name = "enc";
  request.isBase = true;
  EXPECT_EQ(finish(gui::addJob(session_.store(), request)), Job::State::Finished);
  request.path = QString::fromStdString(writeTuned(sample_.files(), "b.safetensors", 30, 31));
  request.options.name = "small";
  request.options.base = "enc";
  request.options.baseChoice = BaseChoice::Reference;
  request.isBase = false;
  request.profile = "balanced";
  auto* add = gui::addJob(session_.store(), request);
  bool isLossy = false;
  EXPECT_EQ(
      finish(add, [&] { isLossy = add->report().added && add->report().added->version.lossy; }),
      Job::State::Finished);
  EXPECT_TRUE(isLossy);
}

TEST_F(StoreSessionTest, RefusesAFileThatIsNoModel) {
  open();
  writeWhole(sample_.files() / "notes.txt", "no model");
  auto* job = gui::inspectJob(session_.store(),
                              QString::fromStdString((sample_.files() / "notes.txt").string()));
  gui::Problem problem;
  EXPECT_EQ(finish(job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::Unsupported);
}

TEST_F(StoreSessionTest, SaysWhoHoldsTheLock) {
  open();
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  const auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  session_.store()->setLockWait({.longest = std::chrono::milliseconds(0)});
  auto* job = gui::tagJob(session_.store(), {.reference = "tuned:v1", .tag = "prod"});
  gui::Problem problem;
  EXPECT_EQ(finish(job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::StoreLocked);
}

TEST_F(StoreSessionTest, RestoresAndRefusesToReplace) {
  open();
  const RestoreOptions options{.reference = "tuned:v2",
                               .target = sample_.files() / "out.safetensors"};
  EXPECT_EQ(finish(gui::restoreJob(session_.store(), options)), Job::State::Finished);
  EXPECT_FALSE(readWhole(options.target).empty());
  EXPECT_EQ(finish(gui::restoreJob(session_.store(), options)), Job::State::Failed);
}

TEST_F(StoreSessionTest, RemovesAndBringsBack) {
  open();
  EXPECT_EQ(finish(gui::removeJob(session_.store(), {.references = {"tuned:v2"}})),
            Job::State::Finished);
  EXPECT_EQ(versionCount(), 2U);
  EXPECT_EQ(session_.snapshot()->trash.versions.size(), 1U);
  EXPECT_EQ(finish(gui::untrashJob(session_.store(), {"tuned:v2"})), Job::State::Finished);
  EXPECT_EQ(versionCount(), 3U);
  EXPECT_EQ(finish(gui::removeJob(session_.store(), {.references = {"base:v1"}})),
            Job::State::Finished);
  EXPECT_EQ(versionCount(), 2U);
}

TEST_F(StoreSessionTest, EmptiesTheTrashOnlyWhenItIsMeant) {
  open();
  EXPECT_EQ(finish(gui::removeJob(session_.store(), {.references = {"tuned:v2"}})),
            Job::State::Finished);
  auto* dry = gui::emptyTrashJob(session_.store(), {.dryRun = true});
  std::uint64_t freed = 0;
  EXPECT_EQ(finish(dry, [&] { freed = dry->report().freedBytes; }), Job::State::Finished);
  EXPECT_GT(freed, 0U);
  (void)versionCount();
  EXPECT_EQ(session_.snapshot()->trash.versions.size(), 1U);
  EXPECT_EQ(finish(gui::emptyTrashJob(session_.store(), {})), Job::State::Finished);
  (void)versionCount();
  EXPECT_TRUE(session_.snapshot()->trash.versions.empty());
}

TEST_F(StoreSessionTest, TagsAndUntags) {
  open();
  EXPECT_EQ(finish(gui::tagJob(session_.store(), {.reference = "tuned:v1", .tag = "prod"})),
            Job::State::Finished);
  EXPECT_EQ(finish(gui::tagJob(session_.store(), {.reference = "tuned:v2", .tag = "prod"})),
            Job::State::Failed);
  EXPECT_EQ(finish(gui::untagJob(session_.store(), "tuned:prod")), Job::State::Finished);
}

TEST_F(StoreSessionTest, ComparesVersionsBasesAndFiles) {
  open();
  using Side = gui::CompareSide::Kind;
  const auto changed = [&](const gui::CompareSide& a, const gui::CompareSide& b) {
    auto* job = gui::diffJob(session_.store(), a, b, 0);
    std::uint64_t count = 0;
    EXPECT_EQ(finish(job, [&] { count = job->report().changedTensors; }), Job::State::Finished);
    return count;
  };
  EXPECT_GT(changed({Side::Version, "tuned:v1"}, {Side::Version, "tuned:v2"}), 0U);
  EXPECT_GT(changed({Side::Base, {}}, {Side::Version, "tuned:v2"}), 0U);
  const std::string a = writeModel(sample_.files(), "a.safetensors", 3);
  const std::string b = writeTuned(sample_.files(), "b.safetensors", 3, 4);
  EXPECT_EQ(
      changed({Side::File, QString::fromStdString(a)}, {Side::File, QString::fromStdString(a)}),
      0U);
  EXPECT_EQ(
      changed({Side::File, QString::fromStdString(a)}, {Side::File, QString::fromStdString(b)}),
      2U);
}

TEST_F(StoreSessionTest, ShowsAVersionItsNumbersAndItsObjects) {
  open();
  auto* show = gui::showJob(session_.store(), "tuned:v1");
  std::string tensor;
  EXPECT_EQ(finish(show, [&] { tensor = show->report().tensors.front().name; }),
            Job::State::Finished);
  auto* histogram = gui::histogramJob(session_.store(),
                                      {.reference = "tuned:v1", .tensor = tensor, .binCount = 16});
  std::size_t bins = 0;
  bool hasChange = false;
  EXPECT_EQ(finish(histogram,
                   [&] {
                     bins = histogram->report().values.bins.size();
                     hasChange = histogram->report().change.has_value();
                   }),
            Job::State::Finished);
  EXPECT_EQ(bins, 16U);
  EXPECT_TRUE(hasChange);
  auto* objects = gui::objectsJob(session_.store());
  std::vector<ObjectRow> rows;
  EXPECT_EQ(finish(objects, [&] { rows = objects->report(); }), Job::State::Finished);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_GE(rows.front().byteCount, rows.back().byteCount);
  for (const ObjectRow& row : rows) EXPECT_EQ(row.usedBy.size(), 1U);
  const ExportOptions exported{
      .reference = "tuned:v1", .globs = {tensor}, .target = sample_.files() / "npy"};
  EXPECT_EQ(finish(gui::exportJob(session_.store(), exported)), Job::State::Finished);
}

TEST_F(StoreSessionTest, FindsADamagedPack) {
  open();
  auto* objects = gui::objectsJob(session_.store());
  std::vector<ObjectRow> rows;
  EXPECT_EQ(finish(objects, [&] { rows = objects->report(); }), Job::State::Finished);
  const std::string hex = toHex(rows.front().digest);
  const auto file = sample_.path() / "objects" / hex.substr(0, 2) / hex.substr(2);
  const auto place = std::filesystem::exists(file) ? file
                                                   : sample_.path() / "objects" / hex.substr(0, 2) /
                                                         hex.substr(2, 2) / hex.substr(4);
  std::string bytes = readWhole(place);
  ASSERT_FALSE(bytes.empty()) << place;
  bytes[bytes.size() / 2] ^= 1;
  std::filesystem::permissions(place, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  writeWhole(place, bytes);
  auto* job = gui::verifyJob(session_.store(), {.level = VerifyOptions::Level::Full});
  std::size_t damages = 0;
  EXPECT_EQ(finish(job, [&] { damages = job->report().damages.size(); }), Job::State::Finished);
  EXPECT_EQ(damages, 1U);
}

TEST_F(StoreSessionTest, TunesAndTellsOfEachTrial) {
  open();
  const std::string base = writeModel(sample_.files(), "a.safetensors", 30);
  gui::AddRequest add;
  add.path = QString::fromStdString(base);
  add.options.name = "enc";
  add.isBase = true;
  EXPECT_EQ(finish(gui::addJob(session_.store(), add)), Job::State::Finished);
  gui::TuneRequest request;
  request.path = QString::fromStdString(writeTuned(sample_.files(), "b.safetensors", 30, 31));
  request.base = "enc";
  request.profile = "balanced";
  auto* measure = new gui::TuneJob(session_.store(), request);
  std::size_t told = 0;
  QObject::connect(measure, &gui::TuneJob::tried, [&] { ++told; });
  EXPECT_EQ(finish(measure), Job::State::Finished);
  EXPECT_EQ(told, 1U);
  request.target = "size=3kB";
  request.trials = 4;
  auto* search = new gui::TuneJob(session_.store(), request);
  std::size_t trials = 0;
  told = 0;
  QObject::connect(search, &gui::TuneJob::tried, [&] { ++told; });
  EXPECT_EQ(finish(search, [&] { trials = search->report().search.trials.size(); }),
            Job::State::Finished);
  EXPECT_EQ(told, trials);
  EXPECT_GT(trials, 1U);
  request.profile = "exact";
  EXPECT_EQ(finish(new gui::TuneJob(session_.store(), request)), Job::State::Failed);
  auto* lost = new gui::TuneJob(nullptr, request);
  gui::Problem problem;
  EXPECT_EQ(finish(lost, [&] { problem = lost->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::NoStore);
}

TEST_F(StoreSessionTest, ReadsAndWritesSettings) {
  open();
  EXPECT_EQ(finish(gui::setSettingJob("memory", "1GB")), Job::State::Finished);
  auto* job = gui::settingsJob(sample_.folder());
  QString memory;
  EXPECT_EQ(finish(job,
                   [&] {
                     for (const gui::SettingValue& value : job->report()) {
                       if (value.key == "memory") memory = value.value;
                     }
                   }),
            Job::State::Finished);
  EXPECT_EQ(memory, "1GB");
  EXPECT_EQ(finish(gui::setSettingJob("memory", "much")), Job::State::Failed);
  auto* profiles = gui::profilesJob();
  std::size_t count = 0;
  EXPECT_EQ(finish(profiles, [&] { count = profiles->report().size(); }), Job::State::Finished);
  EXPECT_GE(count, 4U);
}

}  // namespace
}  // namespace strata::test
