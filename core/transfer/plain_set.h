#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/digest.h"

namespace strata {

/// A file of a restored model.
struct PlainFile {
  std::string path;
  std::uint64_t byteCount = 0;
  Digest sha256;

  friend bool operator==(const PlainFile&, const PlainFile&) = default;
};

/// The files of one version, restored, that stand beside the objects for tools without Strata.
struct PlainSet {
  std::string version;           ///< "sst2:v2", as the remote numbers it
  std::vector<PlainFile> files;  ///< sorted by path

  friend bool operator==(const PlainSet&, const PlainSet&) = default;
};

/// What sending a plain set means there.
struct PlainPlan {
  std::string standing;             ///< the version whose files are there; empty: none
  std::vector<PlainFile> missing;   ///< have to be sent
  std::vector<PlainFile> reserved;  ///< bear a name that the remote's own layout takes: stay out
};

}  // namespace strata
