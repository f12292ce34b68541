#pragma once

#include <span>
#include <string_view>

namespace strata {

/// A published system as Strata can be told to do it, or one of Strata's own choices.
struct FieldSystem {
  std::string_view name;          ///< "LC-Checkpoint"
  std::string_view source;        ///< the paper, or "Strata"
  std::string_view method;        ///< what is done, in a few words
  std::string_view codec;         ///< of an exact one, as AddOptions::codec; empty: lossy
  std::string_view effort;        ///< of an exact one
  std::string_view settings;      ///< TOML of a lossy one; empty: a shipped profile
  std::string_view profile = {};  ///< which; empty: that of `method`
  bool isOfRun = false;           ///< says something of checkpoints with their optimizer alone
};

/// Strata's own first, exact ones before lossy ones. Settings are the papers' own, where they name
/// any (docs/results/lossy.md).
std::span<const FieldSystem> fieldSystems() noexcept;

}  // namespace strata
