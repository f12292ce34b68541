#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/write/effort.h"
#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct BenchOptions {
  std::string reference = {};  ///< empty: the version added last
  unsigned rounds = 3;         ///< from 1
  /// Where the model is written meanwhile; empty: in memory if it fits there.
  std::filesystem::path place = {};
  std::optional<Effort> effort = {};  ///< nothing: what the version was stored with
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< as of restoreVersion() and addVersion(); borrowed
  ModelOpener open = {};
};

/// What one kind of work took, round by round.
struct BenchTimes {
  std::vector<double> seconds;
  std::uint64_t peakBytes = 0;  ///< of anonymous memory, all of the process

  double median() const;
  double fastest() const;
  double slowest() const;
};

struct BenchReport {
  VersionEntry version;
  std::string parentLabel;  ///< empty for a base
  Effort effort = Effort::Default;
  std::size_t threads = 0;
  std::uint64_t codedBytes = 0;  ///< what `add` would have stored
  BenchTimes copy;               ///< the model's bytes from memory to memory, one thread
  BenchTimes write;              ///< the same bytes to a file where the model is written, synced
  BenchTimes restore;
  BenchTimes add;
};

/// Measures how fast this machine restores a stored version and stores it again, the one after the
/// other in each round, beside plain copies of as many bytes. Does what restoreVersion() and
/// addVersion() do, all checks included, on the restored model; the store is only read. A lossy
/// version is quantized again as it was, without the gradients that it may have had.
/// Fails as restoreVersion() and addVersion(), with NotFound where the store is empty, and with
/// InvalidArgument where `place` lies inside a store.
Result<BenchReport> benchVersion(Store& store, const BenchOptions& options,
                                 const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
