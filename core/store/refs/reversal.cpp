#include "core/store/refs/reversal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/ref_renumber.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

using Where = VersionState::Where;

/// What one operation's steps have to become, and what they have to be until then.
class Reversal {
 public:
  Reversal(const Store& store, const Operation& done, bool again)
      : store_(store), done_(done), again_(again) {}

  Result<RefChange> run() {
    const std::vector<NumberStep> numbers = numberSteps(done_, !again_);
    if (!numbers.empty()) return planRenumbering(store_.refs(), numbers);
    for (const TagStep& step : done_.tags) STRATA_TRY(turn(step));
    for (const VersionStep& step : done_.versions) STRATA_TRY(turn(step));
    for (const TagRef& tag : all_.tags) STRATA_TRY(checkIsLive(tag));
    return std::move(all_);
  }

 private:
  const VersionState& wanted(const VersionStep& step) const {
    return again_ ? step.after : step.before;
  }
  const VersionState& expected(const VersionStep& step) const {
    return again_ ? step.before : step.after;
  }

  /// Whether the operation changed how the version is coded.
  static bool isRecoding(const VersionStep& step) {
    return step.before.where != Where::Absent && step.after.where != Where::Absent &&
           step.before.manifestDigest != step.after.manifestDigest;
  }

  /// A version that is not to be there is in the trash: nothing is lost.
  static Where placeOf(const VersionState& state) {
    return state.where == Where::Live ? Where::Live : Where::Trash;
  }

  Result<void> turn(const TagStep& step) {
    const auto& wish = again_ ? step.after : step.before;
    const auto& found = again_ ? step.before : step.after;
    const std::string label = step.name + ":" + step.tag;
    const auto now = store_.refs().readTag(step.name, step.tag);
    if (!now && now.error().code != ErrorCode::NotFound) return fail(now.error());
    if (!now && found) STRATA_TRY(checkNotRenamed(*found, label));
    if (now.has_value() != found.has_value() || (now && now->number != found->number)) {
      return fail(ErrorCode::InvalidArgument, fmt::format("the tag {} was {} since", label,
                                                          !now    ? "taken away"
                                                          : found ? "moved"
                                                                  : "given again"));
    }
    if (wish) {
      TagRef tag = *wish;
      tag.taggedAt = currentTime();
      all_.tags.push_back(std::move(tag));
    } else if (now) {
      all_.erasedTags.push_back(*now);
    }
    return {};
  }

  /// A rename takes tags along.
  Result<void> checkNotRenamed(const TagRef& tag, const std::string& label) const {
    STRATA_TRY(const auto numbers, store_.refs().versionNumbers(tag.name));
    STRATA_TRY(const LastNumber last, store_.refs().readLastNumber(tag.name));
    if (!numbers.empty() || last.movedTo.empty()) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the tag {} went to {} since, with a rename of its versions", label,
                            last.movedTo));
  }

  Result<void> turn(const VersionStep& step) {
    const VersionState& wish = wanted(step);
    STRATA_TRY(VersionRef ref, readAsExpected(step));
    const VersionState found = VersionState::of(ref);
    if (isRecoding(step)) STRATA_TRY(giveCoding(ref, wish.manifestDigest));
    // Else how the content is coded stays: that may have changed since, and is no part of it.
    const VersionState& target = wish.where == Where::Absent ? found : wish;
    ref.note = target.note;
    ref.license = target.license;
    ref.sourceUrl = target.sourceUrl;
    if (placeOf(wish) == Where::Live) {
      ref.removedAt = 0;
      ref.tags.clear();
    } else if (ref.removedAt == 0) {
      ref.removedAt = currentTime();
      STRATA_TRY(ref.tags, tagsToTake(ref));
    }
    all_.versions.push_back(std::move(ref));
    return {};
  }

  /// Lets a ref rest on a manifest that it had, if all of that is still here.
  Result<void> giveCoding(VersionRef& ref, const Digest& manifestDigest) const {
    const auto manifest = readManifest(store_, manifestDigest, ref.contentDigest);
    if (!manifest && !isLost(manifest.error().code)) return fail(manifest.error());
    const bool isDamaged = !manifest && manifest.error().code == ErrorCode::CorruptData;
    if (isDamaged)
      return fail(manifest.error().within(ref.label() + ": what it was coded as then"));
    const auto summary =
        manifest ? summarize(*manifest, manifestDigest, store_.objects()) : ManifestSummary{};
    if (!manifest || summary.packsHere.size() < summary.packs.size()) {
      return fail(ErrorCode::NotFound,
                  fmt::format("{}: the objects that it had then were deleted since, as gc does",
                              ref.label()));
    }
    restOn(ref, summary);
    return {};
  }

  /// The version's ref, if the version is as the operation left it.
  Result<VersionRef> readAsExpected(const VersionStep& step) const {
    const VersionState& left = expected(step);
    for (const Place place : {Place::Live, Place::Trash}) {
      auto ref = store_.refs().readVersion(step.name, step.number, place);
      if (!ref && ref.error().code == ErrorCode::NotFound) continue;
      if (!ref) return ref;
      const bool isGone = ref->isUnlisted && !isRecoding(step);
      if (isGone || ref->contentDigest != step.contentDigest) break;
      STRATA_TRY(checkUnchanged(step, left, *ref));
      return ref;
    }
    VersionRef sought;
    sought.name = step.name;
    sought.number = step.number;
    sought.contentDigest = step.contentDigest;
    STRATA_TRY(const bool isElsewhere, wasRenamed(store_.refs(), sought));
    if (!isElsewhere)
      return fail(ErrorCode::NotFound, step.label() + ": was deleted for good since");
    return fail(ErrorCode::InvalidArgument, step.label() + ": was renamed since");
  }

  static Result<void> checkUnchanged(const VersionStep& step, const VersionState& left,
                                     const VersionRef& ref) {
    const VersionState now = VersionState::of(ref);
    const auto changed = [&](std::string_view what) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: {}", step.label(), what));
    };
    if (now.where != placeOf(left)) {
      return changed(now.where == Where::Live ? "came back since, out of the trash or by a pull"
                                              : "went to the trash since");
    }
    if (left.where == Where::Absent) return {};
    if (isRecoding(step) && now.manifestDigest != left.manifestDigest) {
      return changed("was coded anew since");
    }
    if (now.note != left.note) return changed("its note was changed since");
    if (now.license != left.license || now.sourceUrl != left.sourceUrl) {
      return changed("its source was changed since");
    }
    return {};
  }

  /// All tags of a version that goes to the trash, but for those that others get.
  Result<std::vector<TagRef>> tagsToTake(const VersionRef& ref) const {
    STRATA_TRY(const auto names, store_.refs().tagNames(ref.name));
    std::vector<TagRef> taken;
    for (const std::string& name : names) {
      STRATA_TRY(TagRef tag, store_.refs().readTag(ref.name, name));
      const bool isGiven = std::any_of(all_.tags.begin(), all_.tags.end(), [&](const TagRef& one) {
        return one.name == tag.name && one.tag == tag.tag;
      });
      if (tag.number == ref.number && !isGiven) taken.push_back(std::move(tag));
    }
    return taken;
  }

  /// A tag needs a version that is live when all is done.
  Result<void> checkIsLive(const TagRef& tag) const {
    for (const VersionRef& ref : all_.versions) {
      if (ref.name == tag.name && ref.number == tag.number && ref.place() == Place::Live) return {};
    }
    const auto standing = store_.refs().readVersion(tag.name, tag.number);
    if (standing) return {};
    return fail(ErrorCode::NotFound,
                fmt::format("the tag {}:{} was that of v{}, which was removed since", tag.name,
                            tag.tag, tag.number));
  }

  const Store& store_;
  const Operation& done_;
  const bool again_;
  RefChange all_;
};

}  // namespace

Result<RefChange> planReversal(const Store& store, const Operation& done, bool again) {
  return Reversal(store, done, again).run();
}

}  // namespace strata
