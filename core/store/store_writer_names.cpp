#include <string>
#include <vector>

#include "core/store/ref_change.h"
#include "core/store/ref_rename.h"
#include "core/store/store_writer.h"

// Names and tags of versions.

namespace strata {

Result<void> StoreWriter::renameVersions(const std::string& name, const std::string& to) {
  const auto begin = [&](TakeBack& undo) -> Result<void> {
    STRATA_TRY(store_.refs().checkMayChange(name));
    undo.add([&] { return dropCopies(store_.refs(), name, to); });
    STRATA_TRY(copyRefs(store_.refs(), name, to));
    // Who reads by the old name finds its refs until the catalog has the new one.
    return record("rename", name + " to " + to, [&] { return catalog_->renameVersions(name, to); });
  };
  return change(begin, [&] { return dropCopiedRefs(store_.refs(), name, to); });
}

Result<void> StoreWriter::putTags(const std::vector<TagRef>& tags) {
  if (tags.empty()) return {};
  const std::string label = tags.front().name + ":" + tags.front().tag;
  return changeRefs("tag", label, {.versions = {}, .tags = tags}, [&]() -> Result<void> {
    for (const TagRef& tag : tags) STRATA_TRY(catalog_->putTag(tag));
    return {};
  });
}

Result<void> StoreWriter::eraseTag(const TagRef& tag) {
  const std::string label = tag.name + ":" + tag.tag;
  const auto begin = [&](TakeBack& undo) -> Result<void> {
    undo.add([&] { return record("take back", label, [&] { return catalog_->putTag(tag); }); });
    STRATA_TRY(record("remove tag", label, [&] { return catalog_->eraseTag(tag.name, tag.tag); }));
    undo.add([&] { return store_.refs().writeTag(tag); });
    return store_.refs().eraseTag(tag.name, tag.tag);
  };
  return change(begin, [] { return Result<void>(); });
}

}  // namespace strata
