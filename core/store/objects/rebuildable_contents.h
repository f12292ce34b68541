#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// One way to rebuild a content: from nothing, or from its parent.
struct Descent {
  Digest content;
  std::optional<Digest> parent;
};

/// The contents that `descents` can rebuild: those of bases, and differences to one of these.
/// Contents whose parents are missing or run in a circle are not among them. Several versions may
/// have one content: a child needs one that does not stand on the child itself.
std::set<Digest> rebuildableContents(const std::vector<Descent>& descents);

/// Which of `copies` to rebuild each content from, by its place: one whose lineage ends, if there
/// is one, since a copy may stand on what stands on it. Of several the one with the fewest parents
/// below it; of these the first. Whoever sends, lists or counts a parent takes this one.
std::map<Digest, std::size_t> copiesToRebuild(const std::vector<Descent>& copies);

/// The contents that can be rebuilt, asked for some contents alone: looks at these, at their
/// parents, at the parents of those, and so on. `codingsOf`: all descents of one content. Fails
/// with what that fails with.
Result<std::set<Digest>> rebuildableOf(
    std::vector<Digest> contents,
    const std::function<Result<std::vector<Descent>>(const Digest&)>& codingsOf);

}  // namespace strata
