#pragma once

#include <QObject>
#include <QSignalSpy>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/versions/add_version.h"
#include "core/store/store.h"
#include "gui/jobs/job.h"
#include "gui/jobs/job_queue.h"
#include "gui/models/store_snapshot.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::test {

/// How long a test waits for something that has to come.
inline constexpr int kPatienceMs = 60'000;

/// A listed version without a store behind it.
ListRow makeRow(const std::string& name, std::uint32_t number, const std::string& base = {});
/// A snapshot of such rows.
gui::SnapshotPtr makeSnapshot(std::vector<ListRow> rows);
/// Two bases; `names` variants of the first with `versions` each.
gui::SnapshotPtr makeLibrary(int names, int versions);

/// Writes the file of a one-file model as a safetensors file, so that jobs can open it.
std::string writeModel(const TempFolder& folder, const std::string& name, unsigned seed);
std::string writeTuned(const TempFolder& folder, const std::string& name, unsigned seed,
                       unsigned change);

/// A store with base:v1, tuned:v1 and tuned:v2.
class StoreSample {
 public:
  StoreSample();
  std::filesystem::path path() const { return folder_ / "store"; }
  QString folder() const { return QString::fromStdString(path().string()); }
  const TempFolder& files() const { return folder_; }
  /// Adds through a handle of its own, as another program would.
  AddReport add(const std::string& name, unsigned change) const;
  /// A folder beside the store, made, as the URL of a remote.
  std::string share() const;
  /// Flips a bit of the largest pack of a version that only it needs.
  void damage(const std::string& reference) const;
  /// Writes all versions into a bundle of this name beside the store.
  QString bundle(const std::string& name) const;

 private:
  TempFolder folder_;
  std::unique_ptr<MemoryModel> base_;
};

/// Starts a job and waits for its end.
template <typename AnyJob>
gui::Job::State run(gui::JobQueue& queue, AnyJob* job, const std::function<void()>& done = {},
                    gui::JobQueue::Lane lane = gui::JobQueue::Lane::Write) {
  QSignalSpy ended(job, &gui::Job::ended);
  gui::Job::State state = gui::Job::State::Waiting;
  QObject::connect(job, &gui::Job::ended, job, [&] {
    state = job->state();
    if (done) done();
  });
  queue.start(job, lane);
  if (!ended.wait(kPatienceMs)) return gui::Job::State::Running;
  return state;
}

}  // namespace strata::test
