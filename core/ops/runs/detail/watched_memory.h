#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/runs/detail/memory_copier.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/detail/unstored_copies.h"
#include "core/ops/runs/detail/watch_looks.h"
#include "core/ops/runs/detail/watch_notes.h"
#include "core/ops/runs/watch_folder.h"

namespace strata {

/// The memory tier of one watcher: which checkpoints of its folder lie there, and what becomes of
/// those that cannot be stored. Says what it does.
class WatchedMemory {
 public:
  /// All but `run` is borrowed.
  WatchedMemory(const Store& store, const CheckpointTools& tools, const WatchOptions& options,
                const std::string& run, WatchLooks& looks, WatchNotes& notes,
                const std::stop_token& stop);

  /// Whether checkpoints are copied there at all.
  bool mayCopy() const { return options_.memoryTierBytes > 0 && !options_.once; }
  /// Looks at what earlier watchers left.
  void begin();
  void clean() const { tier_.clean(); }
  std::vector<MemoryTier::Copy> waiting() const { return tier_.waiting(); }
  /// Where its trainer has the checkpoint, or had it.
  std::filesystem::path ownOf(const MemoryTier::Copy& copy) const;

  /// This place is stored from where it is.
  void leaveOut(const std::filesystem::path& own) { direct_.insert(own.string()); }
  /// Copies a checkpoint. Whether it needs nothing else now.
  bool keep(const CheckpointPlace& place);
  /// One that was stored, or need not be.
  void drop(const MemoryTier::Copy& copy);
  /// One that was not stored, for a reason of its own, is not deleted where it is the only one.
  void pass(const MemoryTier::Copy& copy, const Error& why);
  /// What memory has lost before it was stored is to be taken from the trainer's folder.
  void takeBackLost();
  /// One that was passed for what it lacked counts now.
  void takeBackRefused(const std::filesystem::path& own);
  /// Forgets the trainer's checkpoints but these, and adds the paths of all that lies in memory.
  void keepOnly(std::set<std::string>& paths);
  /// How many of it were passed over.
  std::size_t passedCount() const noexcept { return passed_; }

  /// While it is there, what becomes finished is copied to memory by a thread of its own.
  class Copying {
   public:
    explicit Copying(WatchedMemory* memory) : memory_(memory) {}
    Copying(Copying&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    Copying& operator=(Copying&&) = delete;
    ~Copying() {
      if (memory_ != nullptr) memory_->endCopying();
    }

   private:
    WatchedMemory* memory_;
  };
  /// `busy` is what is being stored from where its trainer has it, or null. Of calls within each
  /// other the outer one counts. `isTooEarly` is asked by the thread.
  Copying copyMeanwhile(const CheckpointPlace* busy, WatchLooks::IsTooEarly isTooEarly);

 private:
  void settleAlike(const MemoryTier::Copy& copy);
  void settleCopied(const CheckpointPlace& place);
  void forgetCopied(const std::filesystem::path& own);
  void say(const UnstoredCopies::Fate& fate);
  void endCopying();

  const CheckpointTools& tools_;
  const WatchOptions& options_;
  WatchLooks& looks_;
  WatchNotes& notes_;
  const std::stop_token& stop_;
  MemoryTier tier_;
  UnstoredCopies unstored_;
  std::multiset<std::string> copied_;  ///< where their trainer has those that were copied
  std::set<std::string> direct_;       ///< the same of those that are not to be copied
  /// The same of sound ones that were set aside.
  std::multimap<std::string, MemoryTier::Copy> refused_;
  std::optional<MemoryCopier> copier_;  ///< while something else is being done
  std::size_t passed_ = 0;
};

}  // namespace strata
