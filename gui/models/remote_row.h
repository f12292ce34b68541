#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/transfer/remote_version.h"

namespace strata::gui {

/// A version as a remote lists it, against what is here.
struct RemoteRow {
  RemoteVersion version;
  std::vector<std::string> tags;
  std::string parent;             ///< the version there that it is a difference to; empty: none
  std::uint64_t neededBytes = 0;  ///< of its objects that this store lacks
  bool isHere = false;            ///< a pull would not bring it
  bool hasParent = true;          ///< the parent is stored, or it is a base
};

}  // namespace strata::gui
