#include "core/ops/versions/tags.h"

#include <fmt/format.h>

#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

TagRow rowOf(const TagRef& tag, const Digest& content) {
  return {tag.name, tag.tag, tag.number, tag.note, tag.taggedAt, content};
}

}  // namespace

Result<TagReport> addTag(Store& store, const TagOptions& options) {
  STRATA_TRY(checkTag(options.tag));
  STRATA_TRY(checkText("note", options.note));
  STRATA_TRY(const auto writer, store.lock("tag"));
  TagReport report;
  STRATA_TRY(report.version, writer->resolve(options.reference));
  const VersionEntry& version = report.version;
  STRATA_TRY(const auto existing, store.catalog().tag(version.name, options.tag));
  if (existing && existing->number != version.number) {
    report.movedFrom = fmt::format("{}:v{}", version.name, existing->number);
    if (!options.move) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}:{}: is a tag of {} already; --move repoints it", version.name,
                              options.tag, report.movedFrom));
    }
  }
  report.changed = !existing || existing->number != version.number ||
                   (!options.note.empty() && options.note != existing->note);
  if (!report.changed) return report;
  STRATA_TRY(
      writer->putTags({{version.name, options.tag, version.number, options.note, currentTime()}}));
  const auto updated = store.catalog().version(version.name, version.number);
  if (updated && *updated) report.version = **updated;
  return report;
}

Result<TagRow> removeTag(Store& store, std::string_view text) {
  STRATA_TRY(const Reference reference, parseReference(text));
  if (reference.kind != Reference::Kind::Tag) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: is no NAME:TAG", text));
  }
  STRATA_TRY(const auto writer, store.lock("tag remove"));
  STRATA_TRY(const auto tag, store.catalog().tag(reference.name, reference.tag));
  if (!tag) {
    STRATA_TRY(writer->resolve(text));  // says what there is
    return fail(ErrorCode::NotFound, fmt::format("{}: there is no such tag", text));
  }
  // Its version may have been lost.
  STRATA_TRY(const auto version, store.catalog().version(tag->name, tag->number));
  STRATA_TRY(writer->eraseTag(*tag));
  return rowOf(*tag, version ? version->contentDigest : Digest{});
}

Result<std::vector<TagRow>> listTags(const Store& store, std::string_view name) {
  if (!name.empty()) {
    STRATA_TRY(const VersionEntry newest, store.resolve(name));
  }
  STRATA_TRY(const std::vector<TagRef> tags, store.catalog().tags(name));
  std::vector<TagRow> rows;
  for (const TagRef& tag : tags) {
    STRATA_TRY(const auto version, store.catalog().version(tag.name, tag.number));
    rows.push_back(rowOf(tag, version ? version->contentDigest : Digest{}));
  }
  return rows;
}

}  // namespace strata
