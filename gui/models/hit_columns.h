#pragma once

#include "core/ops/search_models.h"
#include "gui/models/record_table.h"

namespace strata::gui {

/// Models that a search found, one a row.
using HitTable = RecordTable<SearchHit>;
HitTable* makeHitTable(QObject* parent);

/// "3 versions of sst2, ner; the base is here"; empty where there is nothing to say.
QString hitDetails(const SearchHit& hit);

}  // namespace strata::gui
