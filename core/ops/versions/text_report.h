#pragma once

#include <string>

#include "core/store/version_entry.h"

namespace strata {

/// What became of a text that people gave a version, its note or source.
struct TextReport {
  VersionEntry version;    ///< with its new text
  std::string former;      ///< what the text was
  bool hasChanged = true;  ///< false: it was that already
};

}  // namespace strata
