#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/transfer/transport.h"
#include "hub/generation_lists.h"
#include "hub/index_sweep.h"
#include "hub/s3/s3_claims.h"
#include "hub/s3/s3_client.h"
#include "hub/s3/s3_lists.h"

namespace strata::hub {

/// The key that makes a prefix a remote.
inline constexpr const char* kS3Marker = "strata.json";

/// A remote in an S3 bucket, `s3://BUCKET[/PREFIX]`: many writers, no server of ours.
///
///     strata.json         {"claims":"conditional","format":1}
///     objects/ab/SHA256   packs and manifests, written once
///     refs/NUMBER         20 digits; all refs (core/transfer/ref_index.h); the highest number
///                         counts
///     pages/NUMBER-SHA256 parts of long lists (core/transfer/ref_pages.h)
///     lock/ID probe/ID    for a moment
///
/// Writers never replace a refs key: each creates the next number, which only one can.
class S3Transport final : public Transport {
 public:
  /// `stateFolder` is for what a later run goes on with; empty: interrupted uploads are ended.
  S3Transport(std::unique_ptr<S3Client> client, std::filesystem::path stateFolder)
      : client_(std::move(client)), stateFolder_(std::move(stateFolder)) {}

  std::string url() const override;
  Result<TransportTraits> probe(std::stop_token stop) override;
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects, std::stop_token stop) override;
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
  void know(const RefListing& listing) override;
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
  std::string place() const;
  /// What the marker says; nothing if nobody pushed here yet.
  Result<std::optional<ClaimMode>> readMarker(const std::stop_token& stop);
  /// The same; makes the remote if there is none.
  Result<ClaimMode> prepare(const std::stop_token& stop);
  Result<RefListing> listing(Unreadable unreadable, const std::stop_token& stop);
  /// `above`: as RefPush has it.
  IndexChange changing(std::optional<std::uint64_t> above = {});

  std::unique_ptr<S3Client> client_;
  std::filesystem::path stateFolder_;
  std::atomic<bool> hasSentParts_ = false;
  std::mutex mutex_;  // guards mode_
  std::optional<ClaimMode> mode_;
  std::unique_ptr<S3ListPlace> files_ = makeS3Lists(*client_);
  GenerationLists lists_{*files_};
};

}  // namespace strata::hub
