#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/transfer/transport.h"
#include "hub/oci/oci_client.h"
#include "hub/oci/oci_refs.h"

namespace strata::hub {

struct OciOptions {
  std::vector<std::string> siblings = {};  ///< repositories there that may have an object already
  ChunkOptions chunks = {};                ///< pieces of an upload
};

/// A remote in an OCI registry, `oci://HOST/REPOSITORY`: packs and manifests are blobs, versions
/// are artifacts that other tools can list and copy (oci_refs.h). Plain files are a ModelPack under
/// the tag `latest` (model_pack.h).
class OciTransport final : public Transport {
 public:
  OciTransport(std::unique_ptr<OciClient> client, OciOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  std::string url() const override;
  Result<TransportTraits> probe(std::stop_token stop) override;
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects, std::stop_token stop) override;
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override;
  Result<void> replace(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                       const TransferMeter& meter) override;
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override;
  Result<PlainPlan> planPlain(const PlainSet& plain, std::stop_token stop) override;
  Result<void> putPlain(const PlainFile& file, const ObjectSource& source, std::stop_token stop,
                        const TransferMeter& meter) override;
  Result<std::size_t> abandonUploads(std::stop_token stop) override;
  Result<std::vector<StockedObject>> listObjects(std::stop_token stop) override;
  Result<RefListing> readRefs(std::stop_token stop) override;
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override;

 private:
  Result<RegistryIndex> readIndex(const std::stop_token& stop);
  /// The index and all changes that are not in it. `tagBytes`: what the list of tags has.
  Result<RegistryIndex> readState(const std::stop_token& stop, std::size_t* tagBytes = nullptr);
  Result<void> putRecord(const RefUpdate& update, std::int64_t time, const RegistryIndex& before,
                         const std::stop_token& stop);
  Result<void> putIndex(const RegistryIndex& index, std::int64_t time, const std::stop_token& stop);
  Result<void> putModelPack(const PlainSet& plain, std::int64_t time, const std::stop_token& stop);
  Result<RefRecord> readRecord(const std::string& digits, const std::stop_token& stop);

  std::unique_ptr<OciClient> client_;
  OciOptions options_;
};

}  // namespace strata::hub
