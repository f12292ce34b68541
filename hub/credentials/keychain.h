#pragma once

#include <optional>
#include <string>

#include "core/result.h"

namespace strata::hub {

/// What a keychain keeps a secret under. Not secret itself.
struct KeychainEntry {
  std::string service;  ///< "hf"
  std::string host;
  std::string remote;  ///< may be empty
};

/// The desktop's keychain: the Secret Service of D-Bus, spoken by libsecret, which is loaded when
/// it is first needed. Machines without library, session or service have none, which is no error.
class Keychain {
 public:
  /// Whether there is one that answers.
  static bool isThere();

  /// Nothing if it has no such entry or there is no keychain.
  static std::optional<std::string> find(const KeychainEntry& entry);
  /// Fails with Unsupported: no keychain, or it refused (locked and nobody to unlock it).
  static Result<void> save(const KeychainEntry& entry, const std::string& secret);
  /// Whether there was one.
  static bool remove(const KeychainEntry& entry);
};

}  // namespace strata::hub
