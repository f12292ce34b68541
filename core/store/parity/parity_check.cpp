#include "core/store/parity/parity_check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

#include "core/parallel.h"
#include "core/store/parity/parity_grouping.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// What is wrong with a shard of a group; empty if nothing is.
std::string problemOf(const ParityFolder& folder, const StoredParity& stored, std::uint8_t shard,
                      ParityLook look) {
  if (!stored.hasFile(shard)) return "is missing";
  if (look == ParityLook::Names) return {};
  const auto file = folder.open(stored, shard);
  if (!file && file.error().code == ErrorCode::NotFound) return "is missing";
  if (!file) return file.error().message;
  if (look == ParityLook::Sizes) {
    const bool isWhole = file->bytes().size() == stored.group.fileBytes();
    return isWhole ? std::string() : "has another number of bytes";
  }
  std::string problem = parityProblem(file->bytes(), stored.group, shard);
  return file->hasFailed() ? std::string(kUnreadable) : problem;
}

/// Groups that a killed writer had not finished: all that they name stands in groups that are
/// whole.
bool isLeftover(const StoredParity& one, const std::set<Digest>& covered) {
  return !one.isWhole() &&
         std::all_of(one.group.members.begin(), one.group.members.end(),
                     [&](const ParityMember& member) { return covered.contains(member.digest); });
}

}  // namespace

std::set<Digest> ParityState::reachable(const std::set<Digest>& lost) const {
  std::set<Digest> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<Digest> wanted;
    std::size_t unsound = 0;
    for (const ParityMember& member : groups[i].group.members) {
      const bool isLost = lost.contains(member.digest);
      if (isLost) wanted.push_back(member.digest);
      unsound += isLost || absentMembers.contains(member.digest) ? 1 : 0;
    }
    if (unsound <= soundFiles[i]) found.insert(wanted.begin(), wanted.end());
  }
  return found;
}

std::optional<MappedFile> soundObject(const ObjectFolder& objects, const ParityMember& member) {
  auto file = objects.open(member.digest);
  const bool isSound =
      file && file->bytes().size() == member.byteCount && sha256(file->bytes()) == member.digest;
  return isSound ? std::optional(*std::move(file)) : std::nullopt;
}

Result<ParityState> checkParity(const fs::path& storeFolder, const ObjectFolder& objects,
                                ParityLook look, const std::stop_token& stop) {
  ParityState state;
  STRATA_TRY(const ParitySetting setting, parityOfStore(storeFolder));
  state.ratio = setting.ratio;
  state.isRatioFromGroups = setting.isFromGroups;
  const ParityFolder folder(storeFolder);
  if (!state.ratio && !folder.exists()) return state;
  STRATA_TRY(ParityListing listing, folder.list(ParityFolder::Scope::All));
  state.groups = std::move(listing.groups);
  STRATA_TRY(const std::vector<StoredObject> all, objects.list());
  std::map<Digest, std::uint64_t> here;
  for (const StoredObject& object : all) here.emplace(object.digest, object.byteCount);
  std::set<Digest> covered;
  for (const StoredParity& one : state.groups) {
    const auto files = static_cast<std::uint64_t>(std::popcount(one.files));
    state.parityBytes += files * one.group.fileBytes();
    for (const ParityMember& member : one.group.members) {
      if (!here.contains(member.digest)) state.absentMembers.insert(member.digest);
      if (one.isWhole()) covered.insert(member.digest);
    }
  }
  for (const auto& [digest, byteCount] : here) {
    const bool isProtected = covered.contains(digest);
    state.protectedObjects += isProtected ? 1 : 0;
    state.protectedBytes += isProtected ? byteCount : 0;
    state.unprotectedObjects += !isProtected && state.ratio ? 1 : 0;
  }
  for (const fs::path& path : listing.unreadable) {
    state.damages.push_back({{}, path, 0, "does not name its group"});
  }
  state.soundFiles.resize(state.groups.size());
  std::mutex mutex;  // guards state.damages
  STRATA_TRY(parallelFor(state.groups.size(), [&](std::size_t i) -> Result<void> {
    const StoredParity& one = state.groups[i];
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const bool isLeft = isLeftover(one, covered);
    for (std::uint8_t shard = 0; shard < one.group.ratio.shards; ++shard) {
      std::string problem = problemOf(folder, one, shard, look);
      if (problem.empty()) {
        ++state.soundFiles[i];
        continue;
      }
      if (isLeft) continue;
      const std::lock_guard guard(mutex);
      state.damages.push_back(
          {one.id, folder.pathOf(one, shard), one.group.fileBytes(), std::move(problem)});
    }
    return {};
  }));
  std::sort(state.damages.begin(), state.damages.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return state;
}

}  // namespace strata
