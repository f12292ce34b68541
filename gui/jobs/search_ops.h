#pragma once

#include <QString>

#include "core/ops/inspect/search_models.h"
#include "core/transfer/remote_config.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// What is looked for, and where: the options of `strata search`.
struct SearchRequest {
  QString place = {};  ///< a remote's name or a URL; empty: the Hugging Face Hub
  QString words = {};
  QString base = {};     ///< a reference; empty: any
  QString license = {};  ///< empty: any
  bool onlyStrata = false;
  bool smallestFirst = false;
  ModelQuery::Sort sort = ModelQuery::Sort::Relevance;
};

/// What a place of a search stands for: a remote of the store by its name or URL, or any other
/// place by its URL; empty: the Hugging Face Hub. On a worker. Fails as RemoteList::choose.
Result<RemoteConfig> searchPlace(const Store& store, const std::string& word);

OpJob<ModelSearchReport>* searchJob(const StorePtr& store, const SearchRequest& request);

}  // namespace strata::gui
