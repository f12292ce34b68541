#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/transfer/remote_version.h"

namespace strata::gui {

/// A version as a remote lists it, against what is here.
struct RemoteRow {
  RemoteVersion version;
  std::vector<std::string> tags;
  std::string parent;  ///< the version there that it is a difference to; empty: none
  /// What a pull of it alone fetches, parents included; nothing if its base is nowhere.
  std::optional<std::uint64_t> neededBytes = 0;
  bool isHere = false;    ///< this store lists it, perhaps without all of its packs
  bool hasParent = true;  ///< the parent is stored, or it is a base
};

}  // namespace strata::gui
