#pragma once

#include <QCoreApplication>

#include "gui/models/columns/record_table.h"
#include "gui/models/wording.h"

namespace strata::gui {

/// Columns that all tables of versions have alike. A row of theirs has a member `version`.
class VersionCells {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::VersionTable)

 public:
  template <typename Row>
  static RecordColumn<Row> label() {
    return {tr("Version"), {}, false, [](const Row& row) { return labelText(row.version); }};
  }
  template <typename Row>
  static RecordColumn<Row> added() {
    return {tr("Added"),
            {},
            false,
            [](const Row& row) { return dateText(row.version.addedAt); },
            [](const Row& row) { return QVariant(static_cast<qlonglong>(row.version.addedAt)); }};
  }
  template <typename Row>
  static RecordColumn<Row> original() {
    return bytes<Row>(tr("Original"), tr("Bytes of the model's files as given"),
                      [](const Row& row) { return row.version.originalBytes; });
  }
  template <typename Row>
  static RecordColumn<Row> stored() {
    return bytes<Row>(tr("Stored"), tr("Bytes that only this version added to the store"),
                      [](const Row& row) { return row.version.storedBytes; });
  }
  template <typename Row>
  static RecordColumn<Row> tags() {
    return {tr("Tags"), {}, false, [](const Row& row) {
              return joined(row.version.tags, QStringLiteral(", "));
            }};
  }
  template <typename Row>
  static RecordColumn<Row> note() {
    return {tr("Note"), {},
            false,      [](const Row& row) { return text(row.version.note).simplified(); },
            {},         [](const Row& row) { return text(row.version.note); }};
  }

 private:
  template <typename Row, typename Count>
  static RecordColumn<Row> bytes(const QString& title, const QString& hint, Count count) {
    return {title,
            hint,
            true,
            [count](const Row& row) { return bytesText(count(row)); },
            [count](const Row& row) { return QVariant(static_cast<qulonglong>(count(row))); },
            [count](const Row& row) { return exactBytesText(count(row)); }};
  }
};

}  // namespace strata::gui
