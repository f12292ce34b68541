#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/model_index.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transport.h"

namespace strata {

struct ModelSearchOptions {
  ModelQuery query = {};
  std::optional<Digest> base = {};             ///< content: only versions made from it, or itself
  std::optional<std::uint64_t> maxBytes = {};  ///< to fetch
  bool smallestFirst = false;                  ///< by bytes to fetch, instead of query.sort
  unsigned parallel = 4;
  /// Opens a remote by its URL.
  std::function<Result<std::unique_ptr<Transport>>(const std::string& url)> open = {};
};

/// A model that was found and what it would cost this user.
struct SearchHit {
  FoundModel model;
  RemoteLibrary library = {};           ///< of a Strata repository; empty where it cannot be read
  std::vector<std::string> names = {};  ///< of its variants and bases
  /// Bytes that are not here: of the newest version of each name with its parents, or of the whole
  /// model; nothing if the place does not say.
  std::optional<std::uint64_t> fetchBytes = {};
  bool parentsAreHere = false;  ///< of a Strata repository: only differences have to be fetched
};

struct ModelSearchReport {
  std::vector<SearchHit> hits;
  std::vector<std::string> problems;  ///< repositories that could not be looked into
};

/// Asks a place for models and looks into those that Strata pushed to. `store` may be null: then
/// nothing is here. Fails with what ModelIndex::find fails with.
Result<ModelSearchReport> searchModels(ModelIndex& index, const Store* store,
                                       const ModelSearchOptions& options, std::stop_token stop);

}  // namespace strata
