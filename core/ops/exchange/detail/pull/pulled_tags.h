#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/version_matching.h"

namespace strata {

struct WantedTag {
  TagRef tag;        ///< with the number there
  std::string from;  ///< the version that has it here; empty: none
};

/// Which tags a pull brings, and what becomes of those that were moved.
class PulledTags {
 public:
  /// `options` and `library` must outlive it.
  PulledTags(const PullOptions& options, const RemoteLibrary& library, Agreed agreed);

  Result<TagMatching> match(const Catalog& catalog, const VersionMatching& matching) const;

  /// The tags that a version of the remote is to get here.
  std::vector<WantedTag> wanted(const TagMatching& tags, const RemoteVersion& version,
                                bool isNewVersion) const;

  /// They came with a new version, `label`.
  void noteBrought(const std::vector<WantedTag>& tags, const std::string& label);

  /// Notes in the report what becomes of the tags of all versions that the plan is about, and
  /// returns those that are to be put on versions that are here.
  Result<std::vector<TagRef>> toPut(const Catalog& catalog, const PullPlan& plan,
                                    PullReport& report) const;

 private:
  bool isWanted(TagChange change, bool stays, bool isNewVersion) const;

  const PullOptions& options_;
  const RemoteLibrary& library_;
  const Agreed agreed_;
  std::multimap<std::string, const TagRef*> there_;  ///< by the label of their version there
  std::vector<PullReport::Tag> brought_;             ///< from other versions, with new ones
};

}  // namespace strata
