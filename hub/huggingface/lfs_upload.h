#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "core/transfer/transport.h"
#include "hub/huggingface/hf_api.h"

namespace strata::hub {

/// What an LFS server wants done with one object.
struct LfsActions {
  bool isStored = false;  ///< nothing to do
  std::string href;
  HttpHeaders headers;
  std::uint64_t chunkBytes = 0;       ///< of the multipart dialect; 0: one PUT
  std::vector<std::string> partUrls;  ///< of the multipart dialect
  std::string verifyHref;             ///< empty: nothing to verify
  HttpHeaders verifyHeaders;
};

/// Uploads objects by the Git LFS batch API with the hub's multipart dialect. Asks for many objects
/// at once and keeps the answers for their uploads. Safe to use from several threads.
class LfsUpload {
 public:
  explicit LfsUpload(HfApi& api) : api_(api) {}

  /// Which of `objects` the server has. Fails with what HfApi fails with.
  Result<std::set<Digest>> stored(std::span<const RemoteObject> objects, std::stop_token stop);

  /// Sends one object; done if the server has it.
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter);

 private:
  Result<void> ask(std::span<const RemoteObject> objects, const std::stop_token& stop);
  Result<LfsActions> actionsOf(const RemoteObject& object, bool anew, const std::stop_token& stop);
  Result<bool> send(const RemoteObject& object, const LfsActions& actions,
                    const ObjectSource& source, const std::stop_token& stop,
                    const TransferMeter& meter);
  Result<bool> sendParts(const RemoteObject& object, const LfsActions& actions,
                         const ObjectSource& source, const std::stop_token& stop,
                         const TransferMeter& meter);
  Result<void> verify(const RemoteObject& object, const LfsActions& actions,
                      const std::stop_token& stop);

  HfApi& api_;
  std::mutex mutex_;  // guards known_ and refused_
  std::map<Digest, LfsActions> known_;
  std::map<Digest, Error> refused_;
};

}  // namespace strata::hub
