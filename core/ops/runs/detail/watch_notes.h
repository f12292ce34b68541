#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/watch_folder.h"

namespace strata {

/// What a watcher has said, so that it says each thing once until that changes. A thing is known by
/// a key; those that are about a checkpoint are known by its path (ofPlace). Two threads may speak.
class WatchNotes {
 public:
  explicit WatchNotes(std::function<void(const WatchEvent&)> onEvent)
      : onEvent_(std::move(onEvent)) {}

  static std::string ofPlace(const std::string& path) { return std::string(kOfPlace) + path; }

  void say(const WatchEvent& event) const {
    if (onEvent_) onEvent_(event);
  }
  /// False if that was said already.
  bool sayOnce(const std::string& key, const WatchEvent& event);
  /// False if nothing was said of it.
  bool forget(const std::string& key);
  /// Forgets what was said of checkpoints that are not there any more.
  void forgetPlacesBut(const std::set<std::string>& paths);

  /// A folder with nothing to take in may be one of the things to take in. Says so once, and
  /// returns whether it is.
  bool hintAtFolder(const CheckpointTools& tools, const std::filesystem::path& folder, bool isAll);
  /// The end of a training that nobody would know is not stored.
  void warnOfSkipped(const std::string& run, const std::filesystem::path& checkpoint) const;
  /// A checkpoint was copied to memory, or why it was not.
  void sayTried(const CheckpointPlace& checkpoint, const std::optional<Error>& problem);
  /// The first one that the run had and that is not taken again.
  void warnOfDeleted(const std::string& run, const std::filesystem::path& checkpoint);
  /// Of checkpoints that a power failure would take.
  void warnOfMemory(std::size_t count) const;
  /// Warns before the next checkpoint, or what is stored of it, does not fit any more.
  void warnOfSpace(const std::filesystem::path& ofTrainer, const std::filesystem::path& ofStore,
                   std::uint64_t originalBytes, std::uint64_t storedBytes);

 private:
  void warnOfSpaceAt(const std::string& key, const std::filesystem::path& folder,
                     std::uint64_t wanted, const std::string& last);

  static constexpr std::string_view kOfPlace = "at ";

  std::function<void(const WatchEvent&)> onEvent_;
  bool isHinted_ = false;
  bool isDeletedSaid_ = false;
  std::mutex mutex_;                         ///< guards said_
  std::map<std::string, std::string> said_;  ///< the last text by key
};

}  // namespace strata
