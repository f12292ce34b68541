#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"

namespace strata {

/// What is looked for.
struct ModelQuery {
  /// Relevance: as the place itself orders them.
  enum class Sort { Relevance, Downloads, Likes, Updated };
  std::string words = {};      ///< in names; empty: everything
  std::string baseModel = {};  ///< "acme/base": only models that name it as theirs
  std::string license = {};    ///< "apache-2.0", as the place words it; empty: any
  bool onlyStrata = false;     ///< only repositories that Strata pushed to
  Sort sort = Sort::Relevance;
  std::size_t limit = 20;
};

/// A model as a place lists it. Comes from outside.
struct FoundModel {
  enum class Kind {
    Strata,     ///< versions as differences: a remote
    Candidate,  ///< may be that: nobody looked
    Onnx,
    Safetensors,
    Other,
  };
  std::string url;  ///< that `clone` or `import` takes
  Kind kind = Kind::Other;
  std::optional<std::uint64_t> byteCount = {};  ///< of all its files and their history
  std::optional<std::uint64_t> downloads = {};
  std::optional<std::uint64_t> likes = {};
  std::string updatedAt = {};  ///< "2026-11-02"; empty: not known
  std::string license = {};
  std::vector<std::string> baseModels = {};
  bool isGated = false;  ///< its terms have to be accepted on its web page first
  bool isPrivate = false;
  /// Whether its URL holds the words that were looked for; else the names of its versions may.
  bool isNamed = true;
};

/// A place that can be searched: a hub, a registry, a bucket, a folder. Implemented in hub/.
class ModelIndex {
 public:
  virtual ~ModelIndex() = default;
  /// At most `query.limit` models, for candidates more. Fails as Transport's functions do.
  virtual Result<std::vector<FoundModel>> find(const ModelQuery& query, std::stop_token stop) = 0;
};

/// Whether all words of `query` are in `text`, whatever their case.
bool holdsWords(const std::string& text, const std::string& query);

}  // namespace strata
