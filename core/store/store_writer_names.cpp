#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/store/catalog/number_notes.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_writer.h"

// Names and tags of versions.

namespace strata {

Result<void> StoreWriter::renameVersions(const std::string& name, const std::string& to,
                                         Operation operation) {
  operation.renamedFrom = name;
  operation.renamedTo = to;
  const auto begin = [&](TakeBack& undo) -> Result<void> {
    STRATA_TRY(store_.refs().checkMayChange(name));
    undo.add([&] { return dropCopies(store_.refs(), name, to); });
    STRATA_TRY(copyRefs(store_.refs(), name, to));
    // Who reads by the old name finds its refs until the catalog has the new one.
    return record(operation, [&] { return catalog_->renameVersions(name, to); });
  };
  return change(begin, [&]() -> Result<void> {
    STRATA_TRY(dropCopiedRefs(store_.refs(), name, to));
    return noteNumbers(store_.folder() / "catalog.sqlite", store_.refs(), {name, to});
  });
}

Result<bool> StoreWriter::mayTake(const NumberStep& step) const {
  for (const Place place : {Place::Live, Place::Trash}) {
    // One that is listed and has no ref has its number still.
    STRATA_TRY(const auto listed, catalog_->version(step.name, step.to, place));
    if (listed) return false;
  }
  VersionRef ref;
  ref.name = step.name;
  ref.number = step.to;
  ref.contentDigest = step.contentDigest;
  STRATA_TRY(const std::uint32_t number, numberFor(ref));
  return number == step.to;
}

Result<void> StoreWriter::renumberVersions(const std::vector<Renumbering>& all) {
  std::vector<NumberStep> steps;
  std::map<std::string, NumberedContents> next;
  std::string detail;
  for (const Renumbering& one : all) {
    const NumberStep& step = one.step;
    steps.push_back(step);
    if (one.next) next[step.name].emplace(step.from, *one.next);
    detail +=
        fmt::format("{}{}:v{} to v{}", detail.empty() ? "" : ", ", step.name, step.from, step.to);
  }
  STRATA_TRY(const RefChange planned, planRenumbering(store_.refs(), steps));
  STRATA_TRY(lock_.check());
  // What has its number yet keeps it, should the change come to nothing.
  for (const auto& [name, contents] : next) {
    STRATA_TRY(const std::uint32_t last, catalog_->lastNumber(name));
    STRATA_TRY(keepNumbers(store_.refs(), name, last, contents));
  }
  return changeRefs("renumber", detail, planned, [&] { return putInCatalog(planned); });
}

Result<void> StoreWriter::keepLeftNumbers(const RefChange& all) {
  std::map<std::string, NumberedContents> leaving;
  std::map<std::string, std::uint32_t> highest;
  for (std::size_t i = 0; i < all.renumbered.size(); ++i) {
    const VersionRef& left = all.renumbered[i];
    std::uint32_t& last = highest[left.name];
    last = std::max({last, left.number, all.versions[i].number});
    leaving[left.name].emplace(left.number, left.contentDigest);
  }
  for (auto& [name, contents] : leaving) {
    const LastNumber kept = store_.refs().readLastNumber(name).value_or(LastNumber{});
    std::erase_if(contents, [&](const auto& one) { return kept.former.contains(one.first); });
    STRATA_TRY(const std::uint32_t listed, catalog_->lastNumber(name));
    STRATA_TRY(keepNumbers(store_.refs(), name, std::max(listed, highest[name]), contents));
  }
  return {};
}

Result<void> StoreWriter::putTags(const std::vector<TagRef>& tags, std::string_view kind) {
  if (tags.empty()) return {};
  const std::string label = tags.front().name + ":" + tags.front().tag;
  return changeRefs(kind, label, {.versions = {}, .tags = tags}, [&]() -> Result<void> {
    for (const TagRef& tag : tags) STRATA_TRY(catalog_->putTag(tag));
    return {};
  });
}

Result<void> StoreWriter::annotate(std::string_view kind, const std::vector<VersionRef>& refs,
                                   const std::vector<TagRef>& tags) {
  return changeRefs(kind, labelsOf(refs), {.versions = refs, .tags = tags}, [&]() -> Result<void> {
    for (const VersionRef& ref : refs) STRATA_TRY(catalog_->setWords(ref));
    for (const TagRef& tag : tags) STRATA_TRY(catalog_->putTag(tag));
    return {};
  });
}

Result<void> StoreWriter::eraseTag(const TagRef& tag) {
  const RefChange all{.versions = {}, .erasedTags = {tag}};
  return changeRefs("tag remove", tag.name + ":" + tag.tag, all,
                    [&] { return catalog_->eraseTag(tag.name, tag.tag); });
}

}  // namespace strata
