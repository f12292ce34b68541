#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "core/transfer/remote_object.h"
#include "hub/huggingface/hf_api.h"
#include "hub/huggingface/lfs_parts.h"

namespace strata::hub {

/// What an LFS server wants done with one object.
struct LfsActions {
  bool isStored = false;  ///< nothing to do
  std::string href;
  HttpHeaders headers;
  std::optional<LfsParts> parts;  ///< nothing: one PUT
  std::string verifyHref;         ///< empty: nothing to verify
  HttpHeaders verifyHeaders;
};

/// Uploads objects by the Git LFS batch API with the hub's multipart dialect. Asks for many objects
/// at once and keeps the answers for their uploads. An upload in parts is gone on with by a later
/// run: the URLs that the server signed for it are kept in a file (mode 0600) until it is over.
/// Safe to use from several threads.
class LfsUpload {
 public:
  /// `stateFolder` is for what a later run goes on with; empty: nothing is kept.
  LfsUpload(HfApi& api, std::filesystem::path stateFolder)
      : api_(api), stateFolder_(std::move(stateFolder)) {}

  /// Which of `objects` the server has. Fails with what HfApi fails with.
  Result<std::set<Digest>> stored(std::span<const RemoteObject> objects, std::stop_token stop);

  /// Sends one object; done if the server has it.
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter);

  /// Forgets the uploads that earlier runs left; how many. The server drops them by itself: it has
  /// no request for that.
  std::size_t forgetLeft();

 private:
  std::string place() const;
  Result<void> ask(std::span<const RemoteObject> objects, const std::stop_token& stop);
  Result<LfsActions> actionsOf(const RemoteObject& object, bool anew, const std::stop_token& stop);
  Result<bool> send(const RemoteObject& object, const LfsActions& actions,
                    const ObjectSource& source, const std::stop_token& stop,
                    const TransferMeter& meter);
  Result<bool> sendInParts(const RemoteObject& object, const LfsParts& parts,
                           const ObjectSource& source, const std::stop_token& stop,
                           const TransferMeter& meter);
  Result<void> verify(const RemoteObject& object, const LfsActions& actions,
                      const std::stop_token& stop);

  HfApi& api_;
  std::filesystem::path stateFolder_;
  std::mutex mutex_;  // guards known_ and refused_
  std::map<Digest, LfsActions> known_;
  std::map<Digest, Error> refused_;
};

}  // namespace strata::hub
