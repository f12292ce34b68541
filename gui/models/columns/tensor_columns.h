#pragma once

#include <QString>

#include "core/ops/inspect/show_version.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// The tensors of one version.
using TensorTable = RecordTable<TensorRow>;
TensorTable* makeTensorTable(QObject* parent);

/// Elements of a tensor, from its shape.
std::uint64_t elementsOf(const TensorRow& row) noexcept;
/// Stored bits for each element; a mean, so it may be a fraction.
double bitsOf(const TensorRow& row) noexcept;

}  // namespace strata::gui
