#include "core/store/parity/parity_grouping.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "core/config/settings.h"
#include "core/config/store_owner.h"
#include "core/config/toml_file.h"
#include "core/store/parity/parity_check.h"
#include "core/store/parity/parity_rebuild.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Objects of one class differ by less than a factor of two.
auto classOf(std::uint64_t byteCount) noexcept { return std::bit_width(byteCount); }

bool contains(const ParityGroup& group, const Digest& digest) noexcept {
  return std::any_of(group.members.begin(), group.members.end(),
                     [&](const ParityMember& member) { return member.digest == digest; });
}

/// Whether parity costs more than twice what the ratio says.
bool isDear(const ParityGroup& group) noexcept {
  return group.memberBytes() * 2 < group.shardBytes() * group.ratio.columns;
}

/// The lowest column that no member has.
std::uint8_t freeColumn(const ParityGroup& group) noexcept {
  std::uint8_t column = 0;
  for (const ParityMember& member : group.members) {
    if (member.column != column) break;
    ++column;
  }
  return column;
}

void put(ParityGroup& group, const Digest& digest, std::uint64_t byteCount) {
  const ParityMember member{freeColumn(group), digest, byteCount};
  const auto place =
      std::find_if(group.members.begin(), group.members.end(),
                   [&](const ParityMember& other) { return other.column > member.column; });
  group.members.insert(place, member);
}

/// The one that most groups have.
std::optional<ParityRatio> commonRatio(const std::vector<StoredParity>& groups) {
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::size_t> counts;
  std::optional<ParityRatio> found;
  std::size_t most = 0;
  for (const StoredParity& one : groups) {
    const ParityRatio& ratio = one.group.ratio;
    const std::size_t count = ++counts[{ratio.shards, ratio.columns}];
    if (count > most) std::tie(found, most) = std::pair(ratio, count);
  }
  return found;
}

StoredParity stored(ParityGroup group, bool isOpen) {
  const Digest id = group.id();
  const std::uint32_t files = (1U << group.ratio.shards) - 1;
  return {std::move(group), id, isOpen, files};
}

}  // namespace

Result<ParitySetting> parityOfStore(const fs::path& storeFolder) {
  const fs::path file = storeFolder / "config.toml";
  STRATA_TRY(const std::string text, readStoreText(storeFolder, "config.toml"));
  STRATA_TRY(const toml::table document, parseToml(text, file));
  if (const auto found = document["parity"]) {
    const auto value = found.value_exact<std::string>();
    if (!value) {
      return fail(ErrorCode::InvalidArgument,
                  file.string() + ": parity has to be a text, such as \"2/10\" or \"off\"");
    }
    STRATA_TRY(const Setting* const setting, findSetting("parity"));
    STRATA_TRY(const std::string normal, normalizedValue(*setting, *value));
    return ParitySetting{parseRatio(normal)};
  }
  STRATA_TRY(const ParityListing listing, ParityFolder(storeFolder).list(ParityFolder::Scope::All));
  const auto ratio = commonRatio(listing.groups);
  return ParitySetting{ratio, ratio.has_value()};
}

ParityGrouping::ParityGrouping(const fs::path& storeFolder, const ObjectFolder& objects,
                               std::function<Result<void>()> mayGoOn)
    : store_(storeFolder),
      objects_(objects),
      mayGoOn_(std::move(mayGoOn)),
      folder_(storeFolder),
      writer_(storeFolder, objects, folder_, mayGoOn_) {}

Result<void> ParityGrouping::replace(const StoredParity& former) {
  STRATA_TRY(mayGoOn_());
  return folder_.remove(former);
}

Result<void> ParityGrouping::protect(const std::vector<Digest>& fresh) {
  STRATA_TRY(const ParitySetting setting, parityOfStore(store_));
  const auto& ratio = setting.ratio;
  if (!ratio || fresh.empty()) return {};
  std::vector<Loose> loose;
  for (const Digest& digest : std::set<Digest>(fresh.begin(), fresh.end())) {
    const auto byteCount = objects_.byteCount(digest);
    if (byteCount) loose.push_back({digest, *byteCount});
  }
  STRATA_TRY(ParityListing listing, folder_.list(ParityFolder::Scope::Open));
  // A command that was done again may have found its objects in the store.
  std::erase_if(loose, [&](const Loose& one) {
    return std::any_of(listing.groups.begin(), listing.groups.end(),
                       [&](const auto& each) { return contains(each.group, one.digest); });
  });
  return join(std::move(loose), std::move(listing.groups), *ratio);
}

/// Class by class: into the open group of the class, then into groups of their own.
Result<void> ParityGrouping::join(std::vector<Loose> loose, std::vector<StoredParity> open,
                                  const ParityRatio& ratio) {
  std::map<std::uint64_t, std::vector<Loose>> classes;
  for (Loose& one : loose) classes[classOf(one.byteCount)].push_back(one);
  for (auto& [sizeClass, rest] : classes) {
    std::stable_sort(rest.begin(), rest.end(),
                     [](const Loose& a, const Loose& b) { return a.byteCount > b.byteCount; });
    for (const StoredParity& group : open) {
      const bool fits = group.isOpen && group.isWhole() && group.group.ratio == ratio &&
                        !group.group.isFull() && classOf(group.group.shardBytes()) == sizeClass;
      if (fits && !rest.empty()) STRATA_TRY(fill(rest, &group, ratio));
    }
    while (!rest.empty()) STRATA_TRY(fill(rest, nullptr, ratio));
  }
  return {};
}

/// Takes as many of `rest` as a group has place for. Those that are damaged leave `rest`, too.
Result<void> ParityGrouping::fill(std::vector<Loose>& rest, const StoredParity* open,
                                  const ParityRatio& ratio) {
  while (!rest.empty()) {
    STRATA_TRY(mayGoOn_());
    ParityGroup group = open != nullptr ? open->group : ParityGroup{ratio, {}};
    const std::size_t before = group.members.size();
    const std::size_t count = std::min<std::size_t>(rest.size(), ratio.columns - before);
    for (std::size_t i = 0; i < count; ++i) put(group, rest[i].digest, rest[i].byteCount);
    const bool isOpen = !group.isFull();
    const StoredParity to = stored(std::move(group), isOpen);
    STRATA_TRY(const std::vector<Digest> unfit, writer_.write(open, to));
    if (unfit.empty()) {
      rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
      return open != nullptr ? replace(*open) : Result<void>();
    }
    const std::size_t left = rest.size();
    std::erase_if(rest, [&](const Loose& one) {
      return std::find(unfit.begin(), unfit.end(), one.digest) != unfit.end();
    });
    if (rest.size() == left) return {};  // a member of the open group is lost: nothing joins it
  }
  return {};
}

/// What killed writers left: groups whose objects all stand in groups that are whole.
Result<std::vector<StoredParity>> ParityGrouping::listWithoutLeftovers() {
  STRATA_TRY(ParityListing listing, folder_.list(ParityFolder::Scope::All));
  std::vector<StoredParity>& groups = listing.groups;
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    if (a.isWhole() != b.isWhole()) return a.isWhole();
    return a.group.members.size() > b.group.members.size();
  });
  std::set<Digest> covered;
  std::vector<StoredParity> kept;
  for (StoredParity& one : groups) {
    const auto& members = one.group.members;
    const bool isLeft = std::all_of(members.begin(), members.end(), [&](const auto& member) {
      return covered.contains(member.digest);
    });
    if (isLeft) {
      STRATA_TRY(replace(one));
      continue;
    }
    if (one.isWhole()) {
      for (const ParityMember& member : members) covered.insert(member.digest);
    }
    kept.push_back(std::move(one));
  }
  return kept;
}

/// Writes what is missing of new groups whose writer was killed.
Result<bool> ParityGrouping::complete(const std::vector<StoredParity>& groups) {
  bool hasCompleted = false;
  for (const StoredParity& one : groups) {
    if (one.isWhole()) continue;
    STRATA_TRY(mayGoOn_());
    const StoredParity whole = stored(one.group, one.isOpen);
    STRATA_TRY(const std::vector<Digest> unfit, writer_.write(nullptr, whole));
    hasCompleted = hasCompleted || unfit.empty();
  }
  return hasCompleted;
}

Result<void> ParityGrouping::settle() {
  STRATA_TRY(const ParitySetting setting, parityOfStore(store_));
  const auto& ratio = setting.ratio;
  if (!ratio) {
    if (!folder_.exists()) return {};
    return computeAnew([](const Digest&) { return true; });
  }
  STRATA_TRY(std::vector<StoredParity> groups, listWithoutLeftovers());
  STRATA_TRY(const bool hasCompleted, complete(groups));
  if (hasCompleted) {
    STRATA_TRY(groups, listWithoutLeftovers());  // what they took the place of
  }
  std::set<Digest> known;
  for (const StoredParity& one : groups) {
    for (const ParityMember& member : one.group.members) known.insert(member.digest);
  }
  STRATA_TRY(const Objects all, objects_.list());
  std::vector<Loose> loose;
  for (const StoredObject& object : all) {
    if (!known.contains(object.digest)) loose.push_back({object.digest, object.byteCount});
  }
  STRATA_TRY(join(std::move(loose), std::move(groups), *ratio));
  folder_.clearBehind();
  return {};
}

Result<ParityGrouping::Formed> ParityGrouping::formGroups(
    std::vector<Loose> loose, const std::vector<StoredParity>& dissolved, const ParityRatio& ratio,
    std::set<Digest>& unfit) {
  std::sort(loose.begin(), loose.end(), [](const Loose& a, const Loose& b) {
    return std::pair(b.byteCount, a.digest) < std::pair(a.byteCount, b.digest);
  });
  Formed formed;
  while (!loose.empty()) {
    STRATA_TRY(mayGoOn_());
    ParityGroup group{ratio, {}};
    const std::size_t count = std::min<std::size_t>(loose.size(), ratio.columns);
    for (std::size_t i = 0; i < count; ++i) put(group, loose[i].digest, loose[i].byteCount);
    const bool isOpen = !group.isFull();
    const StoredParity to = stored(std::move(group), isOpen);
    const bool isHere = std::any_of(dissolved.begin(), dissolved.end(), [&](const auto& one) {
      return one.id == to.id && one.isOpen == to.isOpen && one.isWhole();
    });
    std::vector<Digest> damaged;
    if (!isHere) {
      STRATA_TRY(damaged, writer_.write(nullptr, to));
    }
    if (damaged.empty()) {
      formed.emplace(to.id, to.isOpen);
      loose.erase(loose.begin(), loose.begin() + static_cast<std::ptrdiff_t>(count));
      continue;
    }
    unfit.insert(damaged.begin(), damaged.end());
    std::erase_if(loose, [&](const Loose& one) { return unfit.contains(one.digest); });
  }
  return formed;
}

Result<void> ParityGrouping::computeAnew(const std::function<bool(const Digest&)>& isNeeded) {
  STRATA_TRY(const ParitySetting setting, parityOfStore(store_));
  const auto& ratio = setting.ratio;
  if (!ratio && !folder_.exists()) return {};
  STRATA_TRY(std::vector<StoredParity> groups, listWithoutLeftovers());
  STRATA_TRY(const Objects all, objects_.list());
  std::set<Digest> here;
  for (const StoredObject& object : all) here.insert(object.digest);
  std::set<Digest> known;
  std::vector<StoredParity> dissolved;
  for (StoredParity& one : groups) {
    bool isLost = false;
    bool isStale = false;
    for (const ParityMember& member : one.group.members) {
      const bool isGone = !here.contains(member.digest);
      isLost = isLost || (isGone && isNeeded(member.digest));
      isStale = isStale || isGone;
    }
    const bool isGood =
        one.group.ratio == ratio && one.isWhole() && !one.isOpen && !isStale && !isDear(one.group);
    if (!isLost && !isGood) {
      dissolved.push_back(std::move(one));
      continue;
    }
    for (const ParityMember& member : one.group.members) known.insert(member.digest);
  }
  Formed formed;
  std::set<Digest> unfit;
  if (ratio) {
    std::vector<Loose> loose;
    for (const StoredObject& object : all) {
      if (!known.contains(object.digest)) loose.push_back({object.digest, object.byteCount});
    }
    STRATA_TRY(formed, formGroups(std::move(loose), dissolved, *ratio, unfit));
  }
  for (const StoredParity& one : dissolved) {
    // Its parity may bring back what is damaged. Without new groups nothing was read yet.
    const auto& members = one.group.members;
    const bool isToHelp = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      if (ratio) return unfit.contains(member.digest);
      return here.contains(member.digest) && !soundObject(objects_, member);
    });
    if (!isToHelp && !(formed.contains({one.id, one.isOpen}) && one.isWhole()))
      STRATA_TRY(replace(one));
  }
  folder_.clearBehind();
  return {};
}

/// Whether objects may leave a group. Its parity is then that of `rest` alone.
Result<bool> ParityGrouping::leave(const StoredParity& from, const ParityGroup& rest) {
  if (!rest.members.empty()) {
    const auto unfit = writer_.write(&from, stored(rest, from.isOpen));
    const bool isFull = !unfit && unfit.error().code == ErrorCode::NoSpace;
    if (!unfit && !isFull) return fail(unfit.error());
    // What cannot bring anything back needs nobody, and stays for a repair from elsewhere.
    if (!isFull && !unfit->empty()) return !canBringBack(from, objects_, folder_);
    const auto isLost = [&](const ParityMember& member) { return !soundObject(objects_, member); };
    if (isFull && std::any_of(rest.members.begin(), rest.members.end(), isLost)) return false;
    STRATA_TRY(replace(from));
    if (isFull) folder_.setBehind(unfit.error().message);
    return true;
  }
  STRATA_TRY(replace(from));
  return true;
}

Result<std::vector<Digest>> ParityGrouping::release(const std::vector<Digest>& leaving) {
  if (leaving.empty() || !folder_.exists()) return leaving;
  STRATA_TRY(ParityListing listing, folder_.list(ParityFolder::Scope::All));
  const std::set<Digest> gone(leaving.begin(), leaving.end());
  std::vector<std::pair<StoredParity, ParityGroup>> changes;
  for (StoredParity& one : listing.groups) {
    ParityGroup rest{one.group.ratio, {}};
    std::copy_if(one.group.members.begin(), one.group.members.end(),
                 std::back_inserter(rest.members),
                 [&](const ParityMember& member) { return !gone.contains(member.digest); });
    if (rest.members.size() < one.group.members.size()) {
      changes.emplace_back(std::move(one), std::move(rest));
    }
  }
  // Parity of nothing that stays goes first: the rest may need its space.
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return a.second.members.size() < b.second.members.size();
  });
  std::set<Digest> staying;
  for (const auto& [from, rest] : changes) {
    STRATA_TRY(const bool isFree, leave(from, rest));
    if (isFree) continue;
    for (const ParityMember& member : from.group.members) {
      if (gone.contains(member.digest)) staying.insert(member.digest);
    }
  }
  std::vector<Digest> free = leaving;
  std::erase_if(free, [&](const Digest& one) { return staying.contains(one); });
  return free;
}

}  // namespace strata
