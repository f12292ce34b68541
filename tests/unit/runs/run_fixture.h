#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/ops/runs/take_snapshot.h"
#include "core/ops/runs/watch_folder.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {

/// A store beside a folder that a trainer writes its checkpoints into.
class RunFixture : public StoreFixture {
 protected:
  RunFixture();

  std::filesystem::path runFolder() const { return folder_ / "out"; }
  std::filesystem::path checkpoint(std::uint64_t step) const;
  /// As transformers writes it: weights, optimizer and random numbers that follow from `seed`, and
  /// the trainer's state last.
  void writeCheckpoint(std::uint64_t step, unsigned seed) const;
  void writeCheckpoint(std::uint64_t step) const {
    writeCheckpoint(step, static_cast<unsigned>(step));
  }

  Result<SnapshotReport> snapshot(std::uint64_t step);
  /// One look; the texts of what it says are kept in `said`.
  Result<WatchReport> watchOnce(const std::function<void(WatchOptions&)>& change = {});
  /// Deletes the packs of a version that another one has not.
  void deletePacksOf(const std::string& reference, const std::string& butOf);
  /// "run:v1 step-10", "run:v2 step-20", by number.
  std::vector<std::string> versions();

  CheckpointTools tools_;
  std::vector<std::string> said_;
};

/// The bytes of all files below a folder, by their paths.
std::map<std::string, std::string> filesBelow(const std::filesystem::path& folder);

}  // namespace strata::test
