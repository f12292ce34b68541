#pragma once

#include <QString>

#include "core/ops/search_models.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// What is looked for, and where: the options of `strata search`.
struct SearchRequest {
  QString place;  ///< a remote's name or a URL; empty: the Hugging Face Hub
  QString words;
  QString base;  ///< a reference; empty: any
  bool onlyStrata = false;
  bool smallestFirst = false;
  ModelQuery::Sort sort = ModelQuery::Sort::Relevance;
};

OpJob<ModelSearchReport>* searchJob(StorePtr store, const SearchRequest& request);

}  // namespace strata::gui
