#include <fmt/format.h>

#include <algorithm>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/store/store.h"
#include "core/store/store_lock.h"

namespace strata {
namespace {

using Kind = Reference::Kind;

tl::unexpected<Error> notFound(std::string_view reference, const std::string& why) {
  return fail(ErrorCode::NotFound, fmt::format("{}: {}", reference, why));
}

/// "sst2 has v1, v2 (prod)": what could have been meant.
std::string whatThereIs(const std::vector<VersionEntry>& versions) {
  std::string text = versions.front().name + " has ";
  const std::size_t first = versions.size() > 8 ? versions.size() - 8 : 0;
  if (first > 0) text += "…, ";
  for (std::size_t i = first; i < versions.size(); ++i) {
    text += fmt::format("{}v{}", i > first ? ", " : "", versions[i].number);
    if (!versions[i].tags.empty()) text += fmt::format(" ({})", fmt::join(versions[i].tags, ", "));
  }
  return text;
}

/// One content may be stored under several names; the first of them answers.
Result<VersionEntry> pickByHash(std::string_view reference, std::vector<VersionEntry> found) {
  if (found.empty()) return notFound(reference, "no version's hash begins so");
  for (const VersionEntry& other : found) {
    if (other.contentDigest != found.front().contentDigest) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{}: is the beginning of several hashes: {} is {}, {} is {}", reference,
                      toHex(found.front().contentDigest).substr(0, 16), found.front().label(),
                      toHex(other.contentDigest).substr(0, 16), other.label()));
    }
  }
  return std::move(found.front());
}

/// The index in `versions`, whose numbers ascend, that a reference by name means.
Result<VersionEntry> pickByName(std::string_view text, const Reference& reference,
                                std::vector<VersionEntry> versions) {
  if (versions.empty())
    return notFound(text, fmt::format("nothing is named \"{}\"", reference.name));
  const auto matches = [&](const VersionEntry& entry) {
    if (reference.kind == Kind::Number) return entry.number == reference.number;
    return std::find(entry.tags.begin(), entry.tags.end(), reference.tag) != entry.tags.end();
  };
  if (reference.kind == Kind::Newest || reference.kind == Kind::Back) sortByAge(versions);
  if (reference.kind == Kind::Newest) return std::move(versions.back());
  if (reference.kind == Kind::Back) {
    if (reference.number < versions.size()) {
      return std::move(versions[versions.size() - 1 - reference.number]);
    }
    return notFound(text, fmt::format("it has {} version{}; {}", versions.size(),
                                      versions.size() == 1 ? "" : "s", whatThereIs(versions)));
  }
  const auto found = std::find_if(versions.begin(), versions.end(), matches);
  if (found == versions.end()) return notFound(text, whatThereIs(versions));
  return std::move(*found);
}

/// Whether the ref files of a name are those of the versions that the catalog lists, whose numbers
/// ascend. While a writer is at work there may be others, and listed ones may have gone to the
/// trash, or by `change` to other numbers.
Result<bool> hasRefs(const RefFolder& refs, std::string_view name, Place place,
                     const std::vector<std::uint32_t>& listed, bool isUnfinished,
                     const RefChange& change) {
  STRATA_TRY(std::vector<std::uint32_t> numbers, refs.versionNumbers(name, place));
  if (numbers == listed) return true;
  if (!isUnfinished) return false;
  STRATA_TRY(const auto trashed, refs.versionNumbers(name, Place::Trash));
  numbers.insert(numbers.end(), trashed.begin(), trashed.end());
  std::ranges::sort(numbers);
  return std::ranges::all_of(listed, [&](std::uint32_t number) {
    return std::ranges::binary_search(numbers, number) ||
           std::ranges::binary_search(numbers, change.otherNumber(name, number));
  });
}

/// Why a version of the name is not listed, if its ref or manifest cannot be read: a catalog that
/// is written anew lists it no more than this one.
std::optional<std::string> whyNotListed(const Store& store, const Catalog& catalog,
                                        std::string_view name, Place place) {
  const auto numbers = store.refs().versionNumbers(name, place);
  for (const std::uint32_t number : numbers.value_or(std::vector<std::uint32_t>{})) {
    const auto listed = catalog.version(name, number, place);
    if (!listed || *listed) continue;
    const auto ref = store.refs().readVersion(name, number, place);
    const std::string label = fmt::format("{}:v{}", name, number);
    if (!ref) return label + ": " + ref.error().message;
    const auto manifest = readManifest(store, ref->manifestDigest, ref->contentDigest);
    if (!manifest) return label + ": " + manifest.error().message;
  }
  return std::nullopt;
}

/// What a reference means that leads to one version without the others of the name, of which there
/// may be thousands. Nothing for other references, and where there is none.
Result<std::optional<VersionEntry>> lookUp(const Catalog& catalog, const Reference& reference) {
  if (reference.kind == Kind::Newest) return catalog.newest(reference.name);
  if (reference.kind == Kind::Number) return catalog.version(reference.name, reference.number);
  if (reference.kind != Kind::Tag) return std::nullopt;
  STRATA_TRY(std::vector<VersionEntry> found, catalog.tagged(reference.name, reference.tag));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Result<VersionEntry> pickAt(const Catalog& catalog, std::string_view text,
                            const Reference& reference, Place place) {
  if (reference.kind == Kind::Hash) {
    STRATA_TRY(std::vector<VersionEntry> found, catalog.withHash(reference.hash, place));
    std::erase_if(found, [](const VersionEntry& one) { return one.isUnlisted; });
    return pickByHash(text, std::move(found));
  }
  if (place == Place::Live) {
    STRATA_TRY(auto found, lookUp(catalog, reference));
    if (found) return *std::move(found);
  }
  STRATA_TRY(std::vector<VersionEntry> versions, catalog.versionsOf(reference.name, place));
  std::erase_if(versions, [](const VersionEntry& one) { return one.isUnlisted; });
  return pickByName(text, reference, std::move(versions));
}

}  // namespace

Result<VersionEntry> resolveIn(const Catalog& catalog, std::string_view text, Place place) {
  STRATA_TRY(const Reference reference, parseReference(text));
  Result<VersionEntry> found = pickAt(catalog, text, reference, place);
  if (found || found.error().code != ErrorCode::NotFound) return found;
  const auto removed = place == Place::Live ? findRemoved(catalog, text) : std::nullopt;
  if (!removed && reference.kind == Kind::Number) {
    STRATA_TRY(const auto unlisted,
               catalog.version(reference.name, reference.number, Place::Trash));
    if (unlisted && unlisted->isUnlisted) {
      return notFound(text,
                      "was removed for good; only versions that are differences to it are "
                      "left");
    }
  }
  if (!removed && place == Place::Trash && reference.kind != Kind::Hash) {
    STRATA_TRY(const auto live, catalog.versionsOf(reference.name, Place::Live));
    if (!live.empty()) return notFound(text, "is not in the trash; " + whatThereIs(live));
  }
  if (!removed) return found;
  const std::string label = removed->label();
  return notFound(text, (label == text ? "" : label + " ") + "is in the trash");
}

std::optional<VersionEntry> findRemoved(const Catalog& catalog, std::string_view text) {
  const auto reference = parseReference(text);
  if (!reference || reference->kind == Kind::Back) return std::nullopt;
  auto removed = pickAt(catalog, text, *reference, Place::Trash);
  if (!removed) return std::nullopt;
  return std::move(*removed);
}

Result<VersionEntry> Store::resolve(std::string_view reference) const {
  return resolveIn(*catalog_, reference, Place::Live);
}

Result<VersionEntry> Store::resolveChecked(std::string_view text) const {
  constexpr int kLooks = 3;
  Result<VersionEntry> found = resolveAgreed(text, Place::Live, false);
  for (int look = 1; look < kLooks && !found; ++look) {
    if (found.error().code != ErrorCode::CorruptData) return found;
    // A writer writes its refs first and the catalog then. What it has begun, or died over, is not
    // done; if it is done by now, catalog and refs agree.
    const bool isAtWork = readLock(folder_ / "lock").isUnfinished();
    found = resolveAgreed(text, Place::Live, isAtWork);
  }
  return found;
}

Result<VersionEntry> Store::resolveAgreed(std::string_view text, Place place,
                                          bool isUnfinished) const {
  STRATA_TRY(const Reference reference, parseReference(text));
  const auto disagree = [&](const std::string& what) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: the catalog does not agree with {}; \"strata verify"
                            " --rebuild-catalog\" writes it anew",
                            text, what));
  };
  Result<VersionEntry> found = resolveIn(*catalog_, text, place);
  RefChange change;  // that is under way
  if (isUnfinished) change = refs_.readChange().value_or(std::nullopt).value_or(RefChange{});
  // A number leads to its own ref; anything else may mean any version of the name.
  const bool needsAll = reference.kind != Reference::Kind::Number || !found;
  if (reference.kind != Reference::Kind::Hash && needsAll) {
    STRATA_TRY(const auto listed, catalog_->numbersOf(reference.name, place));
    STRATA_TRY(const bool isSame,
               hasRefs(refs_, reference.name, place, listed, isUnfinished, change));
    if (!isSame) {
      const auto why = whyNotListed(*this, *catalog_, reference.name, place);
      if (!why) return disagree("the refs of " + reference.name);
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: {}; \"strata verify\" says what to do about it", text, *why));
    }
  }
  if (!found) return found;
  Result<VersionRef> ref = refs_.readVersion(found->name, found->number, place);
  if (!ref && isUnfinished) ref = refs_.readVersion(found->name, found->number, Place::Trash);
  const std::uint32_t other = change.otherNumber(found->name, found->number);
  if (!ref && other != 0) ref = refs_.readVersion(found->name, other, place);
  if (!ref && ref.error().code == ErrorCode::NotFound) {
    return fail(
        ErrorCode::CorruptData,
        fmt::format("{}: its ref {} is missing; \"strata verify --repair\" writes it anew",
                    found->label(), refs_.versionPath(found->name, found->number, place).string()));
  }
  if (!ref) return fail(std::move(ref).error());
  const bool isSameManifest = ref->manifestDigest == found->manifestDigest || isUnfinished;
  if (ref->contentDigest != found->contentDigest || !isSameManifest) {
    return disagree(refs_.versionPath(found->name, found->number, place).string());
  }
  if (reference.kind == Reference::Kind::Tag && place == Place::Live && !isUnfinished) {
    const Result<TagRef> tag = refs_.readTag(found->name, reference.tag);
    if (!tag || tag->number != found->number) {
      return disagree(refs_.tagPath(found->name, reference.tag).string());
    }
  }
  return found;
}

}  // namespace strata
