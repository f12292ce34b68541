#pragma once

#include <optional>

#include "core/ops/inspect/diff_models.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// How a tensor differs between A and B, and where both are versions how far either side is from
/// its version's base.
struct DiffRow : TensorDiff {
  std::optional<double> fromBaseA = {}, fromBaseB = {};  ///< relative L2 norms
};
using DiffTable = RecordTable<DiffRow>;
/// The columns that have to do with bases.
inline constexpr int kFromBaseColumns[] = {5, 6};
DiffTable* makeDiffTable(QObject* parent);

/// One line of the summary above the tensors: what, on either side, and how it changed.
struct DiffFact {
  QString what, a, b, change;
};
using DiffFactTable = RecordTable<DiffFact>;
DiffFactTable* makeDiffFactTable(QObject* parent);
std::vector<DiffFact> factsOf(const DiffReport& report);

}  // namespace strata::gui
