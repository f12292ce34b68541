#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/model/checkpoint.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/result.h"

namespace strata {

/// Whether the same checkpoint may succeed at the next look although nothing of it has changed.
bool mayPass(ErrorCode code) noexcept;

/// What a watcher knows of the places that it looks at, by their paths: which need no other look,
/// and which are to rest. A value: another thread may go on with a copy of it.
class WatchLooks {
 public:
  /// What may still grow is finished once it has looked the same for so long.
  explicit WatchLooks(std::chrono::milliseconds interval) : interval_(interval) {}

  using IsTooEarly = std::function<bool(std::optional<std::uint64_t> step)>;

  struct Found {
    bool isReady = false;                    ///< finished, and to be taken in now
    std::optional<std::uint64_t> step = {};  ///< of one that is ready
    std::optional<Error> problem = {};       ///< why it is not, where that is worth a word
  };

  /// Looks at one place. `isOnce`: there is no look after this one.
  Found look(const CheckpointPlace& place, const CheckpointTools& tools, bool isOnce,
             const IsTooEarly& isTooEarly);

  /// It needs no other look until its stamp changes.
  void settle(const CheckpointPlace& place) { settled_[place.path.string()] = place.stamp; }
  /// False if it was not settled.
  bool unsettle(const std::string& path) { return settled_.erase(path) > 0; }
  /// One that could not be read or stored is not read anew at each look, unless it has changed.
  void rest(const CheckpointPlace& place);
  bool mustRest(const CheckpointPlace& place);
  /// Forgets all other places.
  void keepOnly(const std::set<std::string>& paths);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::string stamp;
    Clock::time_point at;
  };
  static constexpr std::chrono::seconds kRest{60};

  std::map<std::string, std::string> settled_;  ///< stamps of what needs no other look
  std::map<std::string, Seen> seen_;            ///< since when they look as they do
  std::map<std::string, Seen> failed_;          ///< what may succeed although nothing of it changed
  std::chrono::milliseconds interval_;
};

}  // namespace strata
