#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/transfer/ref_index.h"

namespace strata {

/// A list of a folder or bucket that is longer than this is written in pages of at most so many
/// bytes, so that a push of one version to thousands moves one page and the head that names them
/// all. A page of one long ref may be longer.
inline constexpr std::size_t kMostPageBytes = std::size_t{256} << 10U;

/// A list as it is written.
struct WrittenList {
  std::string text;            ///< the list, or the head that names its pages
  std::vector<RefPage> pages;  ///< none: all refs are in `text`
  std::vector<std::pair<RefPage, std::string>> added;  ///< those that are not there yet
  std::vector<RefPage> kept;  ///< the others, that a list before named: who writes looks for them
};

/// Writes a list with this number. Pages of `index` that say the same still are kept, unless
/// `anew`: for who does not know whether they are sound. Fails as serializeRefIndex.
Result<WrittenList> writeList(const RefIndex& index, std::uint64_t number, bool anew);

/// The pages that writeList() makes of such a list; none for a short one. Those that are not among
/// `before` have no number: it is not known.
std::vector<RefPage> pagesAfter(const std::map<std::string, RefText>& refs,
                                const std::vector<RefPage>& before);

/// Adds the refs of the page at `place` to those of the pages before it, as they are read in their
/// order. `what` names the page. Fails with CorruptData where they do not follow.
Result<void> addPage(RefIndex& index, std::size_t place, std::map<std::string, RefText> refs,
                     std::string_view what);

/// Pages of a list that was read before, by their hashes.
class KnownPages {
 public:
  KnownPages() = default;
  /// `index` comes from the remote itself, whose pages were checked.
  static KnownPages read(std::shared_ptr<const RefIndex> index);
  /// It comes from a file of this store: pages that do not match their hash are not known.
  static KnownPages kept(std::shared_ptr<const RefIndex> index);

  /// Whether all pages of the list are known by hash and number, so that others can be written
  /// beside them.
  bool areAllKnown() const;
  /// Nothing for one that is not known.
  std::optional<std::map<std::string, RefText>> find(const RefPage& page) const;

 private:
  std::shared_ptr<const RefIndex> index_;
  std::map<Digest, std::size_t> places_;  ///< in its pages
};

}  // namespace strata
