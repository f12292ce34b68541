#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store_writer.h"

namespace strata {

/// Whether a tag's version has a ref nowhere, not even one that was set aside: it was lost.
bool hasLostVersion(const RefFolder& refs, const TagRef& tag);

/// The names that models had whose refs were lost, as far as something still tells.
class FormerNames {
 public:
  /// For models of these contents, which no ref names. Fails with what reading refs fails with.
  static Result<FormerNames> find(const Store& store, const StoreWriter& writer,
                                  const std::set<Digest>& contents);

  /// A ref with the former name and number of a content, and what else is known of it. Nothing
  /// where nothing tells, or more than one thing, or the number is in use. Each is given once.
  /// A ref that cannot be read may still be at that place: it has to be set aside first.
  std::optional<VersionRef> take(const Digest& content);

 private:
  using Number = std::pair<std::string, std::uint32_t>;

  FormerNames(const Store& store, const StoreWriter& writer) : store_(store), writer_(writer) {}
  void findListed(const std::set<Digest>& contents);
  Result<void> findTagged(const std::set<Digest>& contents);
  bool isFree(const Number& number) const;
  /// The same where a list names the content: a ref that nothing can read, or that was set aside,
  /// does not take the number then.
  bool isFreeForListed(const Number& number) const;
  bool isUnlisted(const Number& number) const;

  const Store& store_;
  const StoreWriter& writer_;
  std::map<Digest, VersionRef> found_;
  std::set<Digest> listed_;  ///< contents among them that a list names
};

}  // namespace strata
