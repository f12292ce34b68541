#include "core/store/refs/ref_renumber.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace strata {
namespace {

using Where = VersionState::Where;

Result<VersionRef> readFrom(const RefFolder& refs, const NumberStep& step) {
  auto ref = refs.readVersion(step.name, step.from);
  if (!ref && ref.error().code != ErrorCode::NotFound) return ref;
  if (ref && ref->contentDigest == step.contentDigest) return ref;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}:v{}: {} since", step.name, step.from,
                          ref ? "became another version" : "was removed or got another number"));
}

Result<void> checkIsFree(const RefFolder& refs, const NumberStep& step) {
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto standing = refs.readVersion(step.name, step.to, place);
    if (!standing && standing.error().code == ErrorCode::NotFound) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{0}:v{1}: v{2} is another version by now{3}", step.name, step.from,
                            step.to, place == Place::Trash ? ", in the trash" : ""));
  }
  return {};
}

}  // namespace

Result<RefChange> planRenumbering(const RefFolder& refs, const std::vector<NumberStep>& steps) {
  RefChange change;
  std::map<std::string, std::map<std::uint32_t, std::uint32_t>> numbers;  // new ones, by name
  for (const NumberStep& step : steps) {
    numbers[step.name].emplace(step.from, step.to);
    STRATA_TRY(VersionRef ref, readFrom(refs, step));
    STRATA_TRY(checkIsFree(refs, step));
    change.renumbered.push_back(ref);
    ref.number = step.to;
    ref.tags.clear();
    change.versions.push_back(std::move(ref));
  }
  for (const auto& [name, moved] : numbers) {
    STRATA_TRY(const std::vector<std::string> tags, refs.tagNames(name));
    for (const std::string& tag : tags) {
      STRATA_TRY(TagRef ref, refs.readTag(name, tag));
      const auto to = moved.find(ref.number);
      if (to == moved.end()) continue;
      ref.number = to->second;
      change.tags.push_back(std::move(ref));
    }
  }
  return change;
}

std::vector<NumberStep> numberSteps(const Operation& operation, bool back) {
  std::vector<const VersionStep*> left;
  std::vector<const VersionStep*> taken;  // in the same order
  for (const VersionStep& step : operation.versions) {
    if (step.before.where == Where::Absent) taken.push_back(&step);
    if (step.after.where == Where::Absent) left.push_back(&step);
  }
  if (left.size() != taken.size()) return {};
  std::vector<NumberStep> steps;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool isOne =
        left[i]->name == taken[i]->name && left[i]->contentDigest == taken[i]->contentDigest;
    if (!isOne) return {};
    NumberStep step{left[i]->name, left[i]->contentDigest, left[i]->number, taken[i]->number};
    if (back) std::swap(step.from, step.to);
    steps.push_back(std::move(step));
  }
  return steps;
}

bool isRenumbered(const VersionRef& left, const VersionRef& one) {
  return one.name == left.name && one.number != left.number && one.place() == Place::Live &&
         left.place() == Place::Live && one.contentDigest == left.contentDigest &&
         one.manifestDigest == left.manifestDigest;
}

std::uint32_t RefChange::otherNumber(std::string_view name, std::uint32_t number) const {
  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    if (renumbered[i].name != name) continue;
    if (renumbered[i].number == number) return versions[i].number;
    if (versions[i].number == number) return renumbered[i].number;
  }
  return 0;
}

}  // namespace strata
