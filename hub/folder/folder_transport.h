#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "core/transfer/transport.h"
#include "hub/folder/aside_objects.h"
#include "hub/folder/folder_lists.h"
#include "hub/http/http_clock.h"
#include "hub/http/rate_limit.h"
#include "hub/http/wait_notice.h"
#include "hub/index_sweep.h"

namespace strata::hub {

/// A remote in a folder: a disk, a network share, a memory stick.
///
///     strata.json            {"format":1}
///     objects/ab/SHA256      packs and manifests, written once
///     refs/NUMBER            20 digits; all refs (core/transfer/ref_index.h)
///     pages/NUMBER-SHA256    parts of long lists (core/transfer/ref_pages.h)
///     tmp/                   files being written, objects being deleted
///
/// The highest number counts.
///
/// Names come to the disk in this order: folders, objects, pages, refs. What is found there counts
/// as there once its name is on the disk.
class FolderTransport final : public Transport {
 public:
  /// The folder does not need to exist; the first push makes it. `bytesPerSecond` is for objects,
  /// both ways together: the folder may be a share; 0: no limit. `onWait` is told of waits.
  explicit FolderTransport(std::filesystem::path folder, std::uint64_t bytesPerSecond = 0,
                           HttpClock& clock = systemClock(), WaitNotice onWait = {})
      : folder_(std::move(folder)),
        clock_(clock),
        limit_(bytesPerSecond, clock),
        onWait_(std::move(onWait)) {}

  /// Whether a push has made a remote of the folder.
  static bool isMadeAt(const std::filesystem::path& folder);

  std::string url() const override;
  Result<TransportTraits> probe(std::stop_token stop) override;
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects, std::stop_token stop) override;
  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override;
  Result<void> checkSpace(std::uint64_t byteCount) override;
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override;
  Result<void> replace(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                       const TransferMeter& meter) override;
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override;
  Result<std::size_t> abandonUploads(std::stop_token stop) override;
  Result<std::vector<StockedObject>> listObjects(std::stop_token stop) override;
  Result<std::size_t> clearScratch(std::int64_t changedBy, ScratchWish wish,
                                   std::stop_token stop) override;
  Result<Sweep> sweep(const RefListing& seen, std::span<const Digest> objects,
                      std::stop_token stop) override;
  Result<void> awaitSweep(std::stop_token stop) override;
  void know(const RefListing& listing) override { lists_.know(listing); }
  Result<bool> stillLists(const RefListing& head, std::stop_token stop) override;
  Result<std::optional<RefListing>> listOf(std::uint64_t number, std::stop_token stop) override {
    return lists_.listOf(number, stop);
  }
  Result<std::optional<std::string>> listBytes(std::uint64_t number,
                                               std::stop_token stop) override {
    return lists_.bytesOf(number, stop);
  }
  Result<RefListing> readRefs(std::stop_token stop) override;
  Result<RefListing> salvageRefs(std::stop_token stop) override;
  std::optional<RefListing> written() override { return lists_.written(); }
  Result<void> checkList(std::stop_token stop) override;
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override;

 private:
  std::filesystem::path pathOf(const Digest& digest) const;
  /// Fails with CorruptData where one of the remote's folders is a link: what it leads to belongs
  /// to others.
  Result<void> checkFolders() const;
  /// Fails with CorruptData: the marker is damaged.
  Result<std::uint64_t> markerFormat() const;
  Result<bool> isRemote() const;
  /// Makes the remote unless it is there. Fails with Io if it was there before: unmounted since.
  Result<void> prepare() const;
  /// Those of the remote's folders that are missing.
  Result<void> makeFolders() const;
  /// Files in `tmp`, as clearScratch.
  Result<std::size_t> clearFiles(std::int64_t changedBy, ScratchWish wish) const;
  Result<RefListing> listing(Unreadable unreadable, const std::stop_token& stop);
  /// `above`: as RefPush has it.
  IndexChange changing(std::optional<std::uint64_t> above = {});
  /// Tells `meter` of bytes and holds them up to the limit.
  TransferMeter limited(const TransferMeter& meter, const std::stop_token& stop);

  std::filesystem::path folder_;
  std::unique_ptr<ListPlace> files_ = makeFolderLists(folder_);
  GenerationLists lists_{*files_};
  AsideObjects aside_{folder_};
  mutable std::atomic<bool> wasRemote_ = false;
  HttpClock& clock_;
  RateLimit limit_;
  WaitNotice onWait_;
};

/// URLs of the remotes that a folder of the disk is or holds, one level deep. Fails with NotFound
/// or Io.
Result<std::vector<std::string>> remotesBelow(const std::filesystem::path& folder);

}  // namespace strata::hub
