#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>

#include "core/ops/inspect/search_models.h"

namespace strata::gui {

/// A model that a search found: what of a SearchHit is shown, and kept over runs of the program.
struct FoundRow {
  using Kind = FoundModel::Kind;

  QString url = {};
  Kind kind = Kind::Other;
  QStringList names = {};  ///< of a Strata repository: its variants and bases
  int versionCount = 0;    ///< the same: what it lists
  /// To fetch; nothing where the place does not say.
  std::optional<std::uint64_t> fetchBytes = {};
  std::optional<std::uint64_t> downloads = {};
  QString updatedAt = {};
  QString license = {};
  bool isGated = false;
  bool parentsAreHere = false;

  bool hasVersions() const noexcept { return kind == Kind::Strata; }
  /// Whether `import` takes it.
  bool isPlain() const noexcept { return kind == Kind::Onnx || kind == Kind::Safetensors; }
};

FoundRow foundRow(const SearchHit& hit);

/// Sizes that a list of models can be narrowed to.
enum class FoundSize { Any, UpTo50Megabytes, UpTo500Megabytes, Over500Megabytes };
/// A model of unknown size is of any size only.
bool isOfSize(const FoundRow& row, FoundSize size) noexcept;

}  // namespace strata::gui
