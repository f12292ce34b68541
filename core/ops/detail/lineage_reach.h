#pragma once

#include <cstddef>
#include <map>
#include <set>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/catalog/catalog.h"

namespace strata {

/// Which contents stand on which, by every manifest that a version rests on, live or in the trash.
/// A content may be stored in several ways, and any of them may be read: all of them count.
class LineageReach {
 public:
  /// Fails with what the catalog fails with.
  static Result<LineageReach> load(const Catalog& catalog);

  /// Whether rebuilding `content` may need `other`: a parent, or a parent's parent, and so on.
  bool standsOn(const Digest& content, const Digest& other) const;
  /// Whether `content` would be rebuilt through itself as a difference to `parent`.
  bool isCircle(const Digest& parent, const Digest& content) const {
    return parent == content || standsOn(parent, content);
  }
  /// Length of the longest line of parents of a content; 0 for a base.
  std::size_t parentCount(const Digest& content) const { return longest(parents_, content); }
  /// Length of the longest line of differences to it, differences to those, and so on.
  std::size_t dependantCount(const Digest& content) const { return longest(children_, content); }

 private:
  using Edges = std::map<Digest, std::set<Digest>>;
  static std::size_t longest(const Edges& edges, const Digest& from);

  Edges parents_;
  Edges children_;
};

}  // namespace strata
