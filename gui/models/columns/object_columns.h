#pragma once

#include <QString>

#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_objects.h"
#include "gui/models/columns/record_table.h"

namespace strata::gui {

/// An object of the store and what the last check of this window said of it.
struct ObjectState {
  ObjectRow object;
  QString damage;          ///< why it is bad; empty if it is sound or was not checked
  bool isChecked = false;  ///< since the window opened the store
  bool isAwaited = false;  ///< a pack that its versions were pulled without
};

using ObjectTable = RecordTable<ObjectState>;
ObjectTable* makeObjectTable(QObject* parent);

/// Joins objects with the report of a check that covered all of them; null: none yet.
std::vector<ObjectState> objectStates(const std::vector<ObjectRow>& objects,
                                      const VerifyReport* report);

}  // namespace strata::gui
