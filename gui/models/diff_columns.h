#pragma once

#include "core/ops/diff_models.h"
#include "gui/models/record_table.h"

namespace strata::gui {

/// How the tensors of two models differ.
using DiffTable = RecordTable<TensorDiff>;
DiffTable* makeDiffTable(QObject* parent);

/// One line of the summary above the tensors: what, on either side, and how it changed.
struct DiffFact {
  QString what, a, b, change;
};
using DiffFactTable = RecordTable<DiffFact>;
DiffFactTable* makeDiffFactTable(QObject* parent);
std::vector<DiffFact> factsOf(const DiffReport& report);

}  // namespace strata::gui
