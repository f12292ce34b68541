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
