#include <fmt/format.h>

#include <algorithm>

#include "core/archive/detail/own_sources.h"
#include "core/archive/detail/reader_state.h"
#include "core/archive/pack.h"
#include "core/checked_math.h"

namespace strata {

Result<void> VersionReader::State::openPacks(const ObjectReader& objects) {
  for (const Digest& digest : manifest.packs) {
    STRATA_TRY(MappedFile mapped, objects.openObject(digest));
    if (const auto checked = checkPackHeader(mapped.bytes()); !checked) {
      return fail(checked.error().within("pack " + toHex(digest)));
    }
    packs.push_back(std::move(mapped));
  }
  return {};
}

Result<void> VersionReader::State::checkSections() const {
  const auto check = [&](const PackSection& section) -> Result<void> {
    const std::uint64_t packBytes = packs[section.pack].bytes().size();
    if (rangeFits(section.offset, section.byteCount, packBytes)) return {};
    const Digest digest = manifest.packs[section.pack];
    return fail(ErrorCode::CorruptData,
                fmt::format("pack {} is {} bytes, a section ends at {}", toHex(digest), packBytes,
                            section.offset + section.byteCount));
  };
  for (const PackSection& section : manifest.tables) STRATA_TRY(check(section));
  for (const ManifestFile& file : manifest.files) {
    if (file.skeleton) STRATA_TRY(check(*file.skeleton));
  }
  for (const ManifestTensor& tensor : manifest.tensors) {
    for (const ManifestPart& part : tensor.parts) {
      if (part.section) STRATA_TRY(check(*part.section));
    }
  }
  return {};
}

namespace {

bool hasOwnView(const ManifestTensor& tensor) {
  return std::any_of(tensor.parts.begin(), tensor.parts.end(), [](const ManifestPart& part) {
    bool isOwn = false;
    for (std::size_t s = 0; s < part.sourceCount(); ++s) isOwn = isOwn || part.source(s).own;
    return isOwn;
  });
}

/// Tells of ranges of a version's files whether tensors with own views lie in them.
class OwnViews {
 public:
  OwnViews(const StoredTensors& tensors, const std::vector<std::vector<Segment>>& files)
      : files_(files) {
    for (const auto& segments : files) {
      std::vector<std::uint32_t>& before = before_.emplace_back(1, 0U);
      for (const Segment& segment : segments) {
        const bool has = segment.tensor && hasOwnView(tensors[*segment.tensor]->info);
        before.push_back(before.back() + (has ? 1 : 0));
      }
    }
  }

  /// Whether the range is coded without own views, so that no chain of own views begins there.
  bool isPlain(std::uint32_t file, std::uint64_t offset, std::uint64_t byteCount) const {
    const auto& segments = files_[file];
    const auto first =
        std::partition_point(segments.begin(), segments.end(),
                             [&](const Segment& s) { return s.offset + s.byteCount <= offset; });
    const auto end = std::partition_point(
        first, segments.end(), [&](const Segment& s) { return s.offset < offset + byteCount; });
    return before_[file][static_cast<std::size_t>(first - segments.begin())] ==
           before_[file][static_cast<std::size_t>(end - segments.begin())];
  }

 private:
  const std::vector<std::vector<Segment>>& files_;
  std::vector<std::vector<std::uint32_t>> before_;  ///< by file: such tensors before each segment
};

}  // namespace

/// Views lie inside the files they name, and their words can be cast. In manifests of version 1 and
/// 2 an own view ends before its own tensor begins, in words without own views; in others
/// checkOwnSources() has the say.
Result<void> VersionReader::State::checkViews() const {
  const OwnViews ownViews(tensors, files);
  const bool isPlain = neededVersion(manifest) == kPlainManifestVersion;
  const auto checkView = [&](const ManifestTensor& tensor, const PartView& view,
                             const PartShape& shape, ElementType type) -> Result<void> {
    if (!isCastable(view, type)) {
      return fail(ErrorCode::CorruptData, fmt::format("view of type {} cannot be cast",
                                                      static_cast<std::uint32_t>(view.type)));
    }
    const Manifest* source = view.own ? &manifest : parent ? &parent->manifest() : nullptr;
    const auto extent = viewExtent(view, shape);
    const bool inFile = source != nullptr && extent && view.file < source->files.size() &&
                        rangeFits(view.offset, *extent, source->files[view.file].byteCount);
    const bool isEarlier = !view.own || !isPlain ||
                           (inFile &&
                            (view.file < tensor.file || (view.file == tensor.file &&
                                                         view.offset + *extent <= tensor.offset)) &&
                            ownViews.isPlain(view.file, view.offset, *extent));
    if (inFile && isEarlier) return {};
    return fail(ErrorCode::CorruptData,
                fmt::format("tensor {}: its view lies outside of the parent", tensor.name));
  };
  for (std::size_t t = 0; t < manifest.tensors.size(); ++t) {
    const StoredTensors::Held held = tensors[t];
    const auto& [tensor, layout] = *held;
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      const ManifestPart& part = tensor.parts[p];
      const PartShape shape = layout.shapeOf(layout.parts[p]);
      for (std::size_t s = 0; s < part.sourceCount(); ++s) {
        STRATA_TRY(checkView(tensor, part.source(s), shape, layout.type));
      }
    }
  }
  return {};
}

/// Those of manifests of version 3 and 4, which may be reached by many ways.
Result<void> VersionReader::State::checkOwnSources() {
  if (neededVersion(manifest) == kPlainManifestVersion) return {};
  countsBlocks = true;
  keepBlocks();
  return strata::checkOwnSources(manifest);
}

void VersionReader::State::keepBlocks() noexcept {
  for (State* one = this; one != nullptr; one = one->parent ? one->parent->state_.get() : nullptr) {
    one->keepsBlocks.store(true, std::memory_order_relaxed);
  }
}

}  // namespace strata
