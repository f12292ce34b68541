#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/transfer/ref_index.h"
#include "core/transfer/transport.h"
#include "hub/huggingface/hf_api.h"
#include "hub/huggingface/hf_plain.h"
#include "hub/huggingface/lfs_upload.h"

namespace strata::hub {

/// A remote in a model repository of the Hugging Face Hub or of a server that speaks like it.
///
///     README.md             for people; kept if somebody else wrote it
///     strata/index.json     all refs (core/transfer/ref_index.h)
///     objects/ab/SHA256     packs and manifests, in LFS
///     .gitattributes        puts objects/ into LFS
///     others, and strata/plain.json   plain files, after push --plain (hf_plain.h)
///
/// Objects are uploaded first; one commit on the parent that was read makes all refs of a push
/// visible, so that of two pushers one is told (412).
class HfTransport final : public Transport {
 public:
  /// `stateFolder` is for what a later run goes on with; empty: nothing is kept.
  HfTransport(HttpSettings settings, std::string endpoint, HfRepository repository,
              std::string token, bool privateIfMade, std::filesystem::path stateFolder);

  std::string url() const override;
  Result<TransportTraits> probe(std::stop_token stop) override;
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects, std::stop_token stop) override;
  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override;
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
  Result<Sweep> sweep(const RefListing& seen, std::span<const Digest> objects,
                      std::stop_token stop) override;
  void know(const RefListing& listing) override;
  Result<RefListing> readRefs(std::stop_token stop) override;
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override;

 private:
  struct Head {
    std::string commit;
    std::optional<RefIndex> index;  ///< nothing: no push was here yet
  };
  /// What is kept of an object that was sent, in case the server wants it as a regular file.
  struct Sent {
    std::string sample;
    std::string content;  ///< of small ones
  };

  /// What the tree has at the places of `objects`; without LFS files of another hash.
  Result<std::map<Digest, HfFile>> filesAt(std::span<const RemoteObject> objects,
                                           const std::stop_token& stop);
  Result<Head> readHead(const std::stop_token& stop);
  Result<void> makeRepository(const std::stop_token& stop);
  /// Asks at once for what was looked for before there was a repository to ask.
  Result<void> askForUnasked(const std::stop_token& stop);
  Result<void> keepForCommit(const RemoteObject& object, const ObjectSource& source);
  Result<std::vector<HfCommitFile>> filesOf(const RefPush& push, const Head& head,
                                            const RefIndex& index, const std::stop_token& stop);
  /// The index and the objects, each as the server wants it: a regular file or in LFS.
  Result<void> addObjects(const RefPush& push, std::string list, const std::stop_token& stop,
                          std::vector<HfCommitFile>& files);
  Result<HfCommitFile> indexInLfs(const std::string& list, const std::stop_token& stop);
  Result<void> addPages(const RefPush& push, const Head& head, const std::stop_token& stop,
                        std::vector<HfCommitFile>& files);

  HfApi api_;
  LfsUpload upload_;
  HfPlain plain_;
  bool privateIfMade_;
  std::mutex mutex_;  // guards the rest
  bool isMade_ = false;
  std::string commit_ = {};  ///< the head that was asked for last
  Head seen_ = {};           ///< the list that was read last
  std::map<Digest, Sent> sent_;
  std::vector<RemoteObject> unasked_ = {};  ///< looked for while there was no repository
};

/// The line of a page that says that Strata wrote it and may write it again.
inline constexpr std::string_view kPageMark =
    "<!-- Written by strata push. Take this line out to keep your own text. -->";

}  // namespace strata::hub
