#include "core/ops/exchange/detail/push/list_mending.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/seen_lists.h"
#include "core/ops/exchange/detail/push/common_list.h"
#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/version_matching.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

bool isTagName(const std::string& name) {
  const auto parts = parseRefName(name);
  return parts && parts->isTag();
}

/// Nothing for a ref that can be read.
std::optional<Error> problemOf(const std::string& name, const RefText& text) {
  if (isTagName(name)) {
    const auto tag = parseRemoteTag(name, text);
    return tag ? std::nullopt : std::optional<Error>(tag.error());
  }
  const auto version = parseRemoteVersion(name, text);
  return version ? std::nullopt : std::optional<Error>(version.error());
}

/// Also where it is one of a later format.
bool isDamaged(const std::string& name, const RefText& text) {
  const auto problem = problemOf(name, text);
  return problem && problem->code != ErrorCode::FormatTooNew;
}

/// What a ref says; nullptr if it is not there or damaged.
const RefText* soundText(const std::map<std::string, RefText>& refs, const std::string& name) {
  const auto found = refs.find(name);
  return found == refs.end() || isDamaged(name, found->second) ? nullptr : &found->second;
}

/// The name that a ref's text gives itself; empty if it gives none.
std::string ownNameOf(const RefText& text) {
  const auto record = parseJson(text, "ref");
  if (!record) return {};
  const nlohmann::json& body = anyMember(anyMember(*record, "ref"), "ref");
  const auto name = textMember(body, "name");
  const auto number = countMember(body, "number");
  if (!name || !number) return {};
  if (const auto tag = textMember(body, "tag")) return refNameOf(TagRef{*name, *tag, 0, {}, 0});
  return refNameOf(*name, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                              *number, std::numeric_limits<std::uint32_t>::max())));
}

/// What a manifest says of a version, whatever its order.
bool saysTheSame(const RemoteVersion& a, const RemoteVersion& b) {
  const auto sizesOf = [](const RemoteVersion& version) {
    ObjectSizes sizes;
    for (const RemoteObject& pack : version.packs) sizes[pack.digest] = pack.byteCount;
    return sizes;
  };
  return a.manifestBytes == b.manifestBytes && a.parentDigest == b.parentDigest &&
         a.originalBytes == b.originalBytes && a.format == b.format && a.lossy == b.lossy &&
         sizesOf(a) == sizesOf(b);
}

class ListMending {
 public:
  ListMending(const Store& store, const RefListing& there, const std::optional<RefListing>& former,
              const std::optional<RefListing>& common)
      : store_(store), there_(there), former_(former), common_(common) {}

  Result<MendedList> run(const std::set<std::string>& lost) {
    list_.listing = there_;
    if (there_.unreadable > 0) list_.above = there_.unreadable;
    if (there_.unreadable > 0 && there_.generation == 0 && (!former_ || former_->refs.empty())) {
      return fail(ErrorCode::CorruptData,
                  "no list of versions there can be read, and this store has seen none; push "
                  "--repair from a store that pushed or pulled there, or push --create");
    }
    if (there_.isMixed && (!former_ || !isOtherRemote(former_->identity, there_))) {
      return fail(ErrorCode::CorruptData,
                  mixedText(there_) + "; push --repair from a store that used the other one");
    }
    for (const std::uint64_t number : unseenBy(former_, there_)) refuseUnseen(number);
    if (former_ && !wayBack(*former_, there_).empty()) bringBack();
    for (const auto& [name, text] : missingIn(former_, there_)) bringBackVersion(name, text);
    STRATA_TRY(mendDamagedRefs());
    STRATA_TRY(mendFacts());
    if (!lost.empty()) STRATA_TRY(takeCodings(lost));
    return std::move(list_);
  }

 private:
  const std::map<std::string, RefText>& refs() const { return list_.listing.refs; }

  void change(const std::string& name, std::optional<RefText> text) {
    const auto there = there_.refs.find(name);
    const auto before =
        there == there_.refs.end() ? std::nullopt : std::optional<RefText>(there->second);
    list_.changed[name] = before;
    if (before == text) list_.changed.erase(name);
    if (text) {
      list_.listing.refs[name] = *std::move(text);
    } else {
      list_.listing.refs.erase(name);
    }
  }

  void refuse(const std::string& name, ErrorCode code, std::string_view why) {
    list_.failed.push_back(
        {labelOfRef(name), {code, fmt::format("{}: {}", labelOfRef(name), why)}});
  }

  /// The rest is mended all the same.
  void refuseUnseen(std::uint64_t number) {
    list_.failed.push_back(
        {fmt::format("list {}", number),
         {ErrorCode::CorruptData,
          "it cannot be read there, and is none that this store is sure to have seen: what it "
          "alone listed is not listed any more; push --repair from a store that saw it brings that "
          "back, and until then remote gc keeps what no list names"}});
  }

  void bringBack() {
    list_.above = std::max(list_.above.value_or(0), there_.generation);
    list_.lastSeen = former_->generation;
    // Versions first: a tag follows the one that it points to.
    for (const auto& [name, text] : former_->refs) {
      if (!isTagName(name)) bringBackVersion(name, text);
    }
    for (const auto& [name, text] : former_->refs) {
      if (isTagName(name)) bringBackTag(name, text);
    }
  }

  void bringBackVersion(const std::string& name, const RefText& text) {
    if (problemOf(name, text)) return;
    const RefText* const there = soundText(refs(), name);
    if (there != nullptr && *there == text) return;
    if (there == nullptr) return change(name, text);
    if (isOther(name, *there, text)) return bringBackAnew(name, text);
    // Lists of earlier programs tell nothing but their numbers.
    const bool isUntold = former_->check.empty() || there_.check.empty();
    if (isUntold && there_.generation <= former_->generation) return change(name, text);
    MergedRef merged =
        mergedVersion(name, text, *there, common_ ? soundText(common_->refs, name) : nullptr);
    if (merged.isNoteInDoubt) list_.notesInDoubt.push_back(labelOfRef(name));
    change(name, std::move(merged.text));
  }

  /// Under the next free number: another version was pushed under its own since.
  void bringBackAnew(const std::string& name, const RefText& text) {
    auto version = parseRemoteVersion(name, text);
    if (!version) return;
    if (!contents_) countThere();
    if (!contents_->insert(version->ref.contentDigest).second) {
      taken_.emplace(name, 0);
      return;
    }
    std::uint32_t& highest = highest_[version->ref.name];
    if (highest == std::numeric_limits<std::uint32_t>::max()) {
      return refuse(name, ErrorCode::InvalidArgument, "no number of its name is free");
    }
    version->ref.number = ++highest;
    taken_.emplace(name, highest);
    change(refNameOf(version->ref), toRefText(*version));
  }

  void countThere() {
    contents_.emplace();
    const RemoteLibrary there = RemoteLibrary::from(list_.listing);
    const RemoteLibrary former = RemoteLibrary::from(*former_);
    for (const RemoteLibrary* const library : {&there, &former}) {
      for (const RemoteVersion& version : library->versions) {
        std::uint32_t& highest = highest_[version.ref.name];
        highest = std::max(highest, version.ref.number);
      }
    }
    for (const RemoteVersion& version : there.versions) {
      contents_->insert(version.ref.contentDigest);
    }
  }

  /// One that somebody moved since stays. One whose number another version has now follows its own.
  void bringBackTag(const std::string& name, const RefText& text) {
    auto tag = parseRemoteTag(name, text);
    if (!tag) return;
    const RefText* const there = soundText(refs(), name);
    const auto now = there == nullptr ? std::nullopt : std::optional(parseRemoteTag(name, *there));
    const bool isMoved = now && *now && (*now)->taggedAt > tag->taggedAt;
    const auto taken = taken_.find(refNameOf(tag->name, tag->number));
    if (isMoved || (taken != taken_.end() && taken->second == 0)) return;
    if (taken == taken_.end()) return change(name, text);
    tag->number = taken->second;
    change(name, toRefText(*tag));
  }

  static bool isOther(const std::string& name, const RefText& a, const RefText& b) {
    const auto one = parseRemoteVersion(name, a);
    const auto other = parseRemoteVersion(name, b);
    return !one || !other || one->ref.contentDigest != other->ref.contentDigest;
  }

  Result<void> mendDamagedRefs() {
    std::map<std::string, RefText> damaged;
    for (const auto& [name, text] : refs()) {
      if (isDamaged(name, text)) damaged.emplace(name, text);
    }
    // Versions first: a tag needs the one that it points to.
    for (const bool tags : {false, true}) {
      for (const auto& [name, text] : damaged) {
        if (isTagName(name) == tags) STRATA_TRY(mendRef(name, text));
      }
    }
    return {};
  }

  Result<void> mendRef(const std::string& name, const RefText& text) {
    const RefText* const former = former_ ? soundText(former_->refs, name) : nullptr;
    if (former != nullptr) {
      change(name, *former);
      return {};
    }
    const std::string own = ownNameOf(text);
    if (own != name && !own.empty() && !isDamaged(own, text)) {
      change(name, std::nullopt);
      if (soundText(refs(), own) == nullptr) change(own, text);
      return {};
    }
    STRATA_TRY(std::optional<RefText> here,
               isTagName(name) ? tagHere(name) : versionHere(name, text));
    if (here) {
      change(name, std::move(here));
    } else {
      refuse(name, ErrorCode::CorruptData,
             "the remote's list cannot be read there, and this store does not know what it said; "
             "push --repair from a store that does");
    }
    return {};
  }

  /// Whether a damaged text that names the content of a version is of that version. It may be of
  /// another one of that content, which was added with other permission bits. It is of this one if
  /// the time is, or if what it says of the manifest is nearly what it should be.
  static bool isTextOf(const RefText& text, const VersionEntry& entry) {
    if (text.find(fmt::format("\"addedAt\":{},", entry.addedAt)) != std::string::npos) return true;
    constexpr std::string_view kKey = "\"manifest\":\"";
    const std::size_t at = text.find(kKey);
    if (at == std::string::npos) return true;
    const std::string own = toHex(entry.manifestDigest);
    const std::string_view said = std::string_view(text).substr(at + kKey.size(), own.size());
    std::size_t same = 0;
    for (std::size_t i = 0; i < said.size(); ++i) same += said[i] == own[i] ? 1 : 0;
    return same > own.size() / 2;
  }

  /// The ref of the version here that a damaged text is of: one hash or the other is whole.
  Result<std::optional<RefText>> versionHere(const std::string& name, const RefText& text) {
    const auto parts = parseRefName(name);
    if (!parts) return std::nullopt;
    STRATA_TRY(const auto versions, store_.catalog().versionsOf(parts->name));
    for (const VersionEntry& entry : versions) {
      const bool isMeant =
          text.find(toHex(entry.manifestDigest)) != std::string::npos ||
          (text.find(toHex(entry.contentDigest)) != std::string::npos && isTextOf(text, entry));
      if (!isMeant) continue;
      STRATA_TRY(RemoteVersion version, describeVersion(store_, entry));
      version.ref.number = parts->number;
      return toRefText(version);
    }
    return std::nullopt;
  }

  Result<std::optional<RefText>> tagHere(const std::string& name) {
    const auto parts = parseRefName(name);
    if (!parts) return std::nullopt;
    STRATA_TRY(const auto tags, store_.catalog().tags(parts->name));
    STRATA_TRY(const auto versions, store_.catalog().versionsOf(parts->name));
    const RemoteLibrary library = RemoteLibrary::from(list_.listing);
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), library));
    for (TagRef tag : tags) {
      if (refNameOf(tag) != name) continue;
      for (const VersionEntry& entry : versions) {
        const RemoteVersion* const there =
            entry.number == tag.number ? matching.there(entry) : nullptr;
        if (there == nullptr) continue;
        tag.number = there->ref.number;
        return toRefText(tag);
      }
    }
    return std::nullopt;
  }

  Result<void> mendFacts() {
    const RemoteLibrary library = RemoteLibrary::from(list_.listing);
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), library));
    for (const RemoteVersion& there : library.versions) {
      const VersionEntry* const here = matching.here(there);
      if (here == nullptr || here->manifestDigest != there.ref.manifestDigest) continue;
      const auto facts = describeVersion(store_, *here);
      // What is lost or damaged here says nothing.
      if (!facts || !isWhole(*facts) || saysTheSame(there, *facts)) continue;
      RemoteVersion mended = *facts;
      mended.ref = there.ref;
      mended.scores = there.scores;
      mended.signature = there.signature;
      mended.base = there.base;
      change(refNameOf(there.ref), toRefText(mended));
    }
    return {};
  }

  /// Parents of contents, as the list will have them.
  using Parents = std::map<Digest, std::optional<Digest>>;

  /// Whether a version on `parent` would stand on its own content.
  static bool isCircle(const Parents& parents, std::optional<Digest> parent,
                       const Digest& content) {
    for (std::size_t i = 0; parent && i <= parents.size(); ++i) {
      if (*parent == content) return true;
      const auto next = parents.find(*parent);
      parent = next == parents.end() ? std::nullopt : next->second;
    }
    return false;
  }

  Result<void> takeCodings(const std::set<std::string>& lost) {
    const RemoteLibrary library = RemoteLibrary::from(list_.listing);
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), library));
    Parents parents;
    for (const RemoteVersion* const one : library.all()) {
      parents.emplace(one->ref.contentDigest, one->parentDigest);
    }
    std::vector<const RemoteVersion*> left;
    for (const RemoteVersion& there : library.versions) {
      if (lost.contains(there.ref.label())) left.push_back(&there);
    }
    // One may stand in a circle until another has its new parent.
    for (std::size_t before = left.size() + 1; left.size() < before;) {
      before = left.size();
      std::erase_if(left, [&](const RemoteVersion* one) {
        return takeCoding(*one, matching.here(*one), parents);
      });
    }
    return {};
  }

  /// Whether it rests on what it was recoded to here.
  bool takeCoding(const RemoteVersion& there, const VersionEntry* here, Parents& parents) {
    // One that was added by itself may have other permission bits.
    const bool isRecoded = here != nullptr && here->addedAt == there.ref.addedAt &&
                           here->manifestDigest != there.ref.manifestDigest;
    const auto facts = isRecoded ? describeVersion(store_, *here)
                                 : fail(ErrorCode::NotFound, "is not coded otherwise here");
    const Digest& content = there.ref.contentDigest;
    if (!facts || !isWhole(*facts) || isCircle(parents, facts->parentDigest, content)) return false;
    RemoteVersion coded = *facts;
    coded.ref = there.ref;
    coded.ref.manifestDigest = facts->ref.manifestDigest;
    coded.ref.storedBytes = facts->ref.storedBytes;
    coded.scores = there.scores;
    coded.signature = there.signature;
    if (facts->parentDigest == there.parentDigest) coded.base = there.base;
    parents[content] = facts->parentDigest;
    change(refNameOf(there.ref), toRefText(coded));
    return true;
  }

  bool isWhole(const RemoteVersion& version) const {
    const std::vector<RemoteObject> objects = version.objects();
    return std::all_of(objects.begin(), objects.end(), [&](const RemoteObject& object) {
      const auto byteCount = store_.objects().byteCount(object.digest);
      return byteCount && *byteCount == object.byteCount;
    });
  }

  const Store& store_;
  const RefListing& there_;
  const std::optional<RefListing>& former_;
  const std::optional<RefListing>& common_;
  /// Refs of versions whose numbers others have now, and the numbers that they got; 0: none.
  std::map<std::string, std::uint32_t> taken_;
  std::optional<std::set<Digest>> contents_;      ///< of the versions that are listed there
  std::map<std::string, std::uint32_t> highest_;  ///< numbers of names, there and former
  MendedList list_;
};

}  // namespace

Result<MendedList> mendList(const Store& store, const RefListing& there,
                            const std::optional<RefListing>& former,
                            const std::optional<RefListing>& common,
                            const std::set<std::string>& lost) {
  return ListMending(store, there, former, common).run(lost);
}

}  // namespace strata
