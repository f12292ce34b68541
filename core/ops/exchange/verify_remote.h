#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/base_elsewhere.h"
#include "core/transfer/transport.h"

namespace strata {

struct RemoteVerifyOptions {
  bool quick = false;     ///< compares sizes alone and reads no object
  unsigned parallel = 4;  ///< objects read at once
  /// The remote's name or URL, for what the store knows of it; empty: nothing.
  std::string keptAs = {};
};

/// Something on a remote that is not as it was pushed.
struct RemoteDamage {
  enum class Kind { Pack, ManifestObject, Signatures, Ref, Parent, List };
  Kind kind = Kind::Pack;
  std::string name;             ///< hash of an object or parent, name of a ref, a list's number
  std::uint64_t byteCount = 0;  ///< an object should have
  std::string reason;           ///< "is missing", "does not match its hash", …
  /// Labels of those that cannot be pulled for it; for lost signatures they can be, and are not
  /// found as bases afterwards.
  std::vector<std::string> versions;
};

struct RemoteVerifyReport {
  std::uint64_t versionCount = 0;
  std::uint64_t objectCount = 0;
  std::uint64_t checkedBytes = 0;  ///< read and hashed
  std::vector<RemoteDamage> damages;
  std::vector<std::string> damagedVersions;  ///< labels, sorted, each once
  std::vector<std::string> unread;           ///< refs of a later format: not checked
  std::vector<BaseElsewhere> elsewhere;      ///< parents that are to be fetched elsewhere
  double seconds = 0;

  bool sound() const noexcept { return damages.empty(); }
};

/// Looks whether a remote still gives what its refs promise: manifests, packs and parents, and
/// whether its list of them can be read and is no older one than the store has seen. Damage
/// is a report, not an error, and the check goes on to the end. Objects are hashed as they come and
/// never kept. Fails with NotFound where nobody has pushed, and with what the transport's functions
/// fail with, such as Network.
Result<RemoteVerifyReport> verifyRemote(const Store& store, Transport& remote,
                                        const RemoteVerifyOptions& options, std::stop_token stop,
                                        const ProgressSink& progress);

/// "pack", "manifest", "signatures", "ref", "parent", "list".
std::string_view name(RemoteDamage::Kind kind) noexcept;

}  // namespace strata
