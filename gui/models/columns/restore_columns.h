#pragma once

#include <QString>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/show_version.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// A file of a version and where restoring puts it.
struct RestoredFile {
  FileRow file;
  QString target;  ///< the final path; empty until that is known
};
using RestoredFileTable = RecordTable<RestoredFile>;
RestoredFileTable* makeRestoredFileTable(QObject* parent);

/// The versions that are decoded to restore one: itself, its parent, and so on to the base.
using LineTable = RecordTable<ListRow>;
LineTable* makeLineTable(QObject* parent);

/// The line of a version among all rows; empty if there is none of that label.
std::vector<ListRow> lineOf(const std::vector<ListRow>& rows, const QString& label);

}  // namespace strata::gui
