#pragma once

#include <QString>
#include <QVariant>

#include "gui/models/lineage_node.h"

namespace strata::gui {

/// What stands in the columns of the library's tree. `column` is a LineageModel::Column.

QString lineageText(const LineageNode& node, int column);
/// The number or text that a column is sorted by.
QVariant lineageValue(const LineageNode& node, int column);
QString lineageToolTip(const LineageNode& node, int column);
QString lineageTitle(int column);
/// What a column means; empty where its title says it.
QString lineageHint(int column);
/// Whether a column is aligned as numbers are.
bool isLineageNumber(int column) noexcept;

}  // namespace strata::gui
