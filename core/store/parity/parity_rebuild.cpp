#include "core/store/parity/parity_rebuild.h"

#include <algorithm>
#include <utility>

#include "core/io/temp_file.h"
#include "core/store/parity/parity_check.h"
#include "core/store/parity/parity_writer.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A group of which something is lost, as it lies there.
class HurtGroup {
 public:
  HurtGroup(const StoredParity& stored, const ObjectFolder& objects, const ParityFolder& folder)
      : group_(stored.group) {
    for (const ParityMember& member : group_.members) {
      if (auto file = soundObject(objects, member)) {
        sound_.emplace_back(member, *std::move(file));
      } else {
        lost_.push_back(member);
      }
    }
    for (std::uint8_t shard = 0; shard < group_.ratio.shards; ++shard) {
      auto file = folder.open(stored, shard);
      const bool isSound = file && parityProblem(file->bytes(), group_, shard).empty();
      if (isSound) shards_.emplace_back(shard, *std::move(file));
    }
  }

  const std::vector<ParityMember>& lost() const noexcept { return lost_; }
  bool canDecode() const noexcept { return lost_.size() <= shards_.size(); }

  /// Writes all that is lost to files in `temporary`, in the order of lost().
  Result<std::vector<TempFile>> decode(const fs::path& temporary) const {
    const std::size_t count = lost_.size();
    std::vector<std::size_t> shards;
    std::vector<std::size_t> columns;
    std::vector<TempFile> files;
    for (std::size_t i = 0; i < count; ++i) {
      shards.push_back(shards_[i].first);
      columns.push_back(lost_[i].column);
      STRATA_TRY(TempFile file, TempFile::createForStore(temporary, "rebuilt"));
      files.push_back(std::move(file));
    }
    const ParityCode code(group_.ratio);
    const ParityDecoder decoder(code, shards, columns);
    const std::uint64_t start = parityHeaderBytes(group_.members.size());
    const std::uint64_t length = group_.shardBytes();
    std::vector<std::vector<std::byte>> all(group_.ratio.shards);
    std::vector<std::vector<std::byte>> sums(count);
    std::vector<std::vector<std::byte>> found(count);
    for (std::uint64_t at = 0; at < length; at += kParityStepBytes) {
      const std::uint64_t bytes = std::min(kParityStepBytes, length - at);
      for (auto& one : all) one.assign(bytes, std::byte{0});
      for (const auto& [member, file] : sound_) {
        code.add(member.column, parityRange(file.bytes(), at, bytes), all);
      }
      for (std::size_t i = 0; i < count; ++i) {
        sums[i] = all[shards[i]];
        found[i].resize(bytes);
        const auto parity =
            parityRange(shards_[i].second.bytes().subspan(start, length), at, bytes);
        for (std::size_t k = 0; k < parity.size(); ++k) sums[i][k] ^= parity[k];
      }
      decoder.solve(sums, found);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t rest = lost_[i].byteCount - std::min(at, lost_[i].byteCount);
        STRATA_TRY(files[i].append(parityRange(found[i], 0, rest)));
      }
    }
    return files;
  }

 private:
  const ParityGroup& group_;
  std::vector<std::pair<ParityMember, MappedFile>> sound_;
  std::vector<ParityMember> lost_;
  std::vector<std::pair<std::uint8_t, MappedFile>> shards_;
};

class Rebuild {
 public:
  Rebuild(const fs::path& storeFolder, const ObjectFolder& objects,
          const std::function<Result<void>()>& mayGoOn)
      : temporary_(storeFolder / "tmp"),
        objects_(objects),
        folder_(storeFolder),
        mayGoOn_(mayGoOn) {}

  Result<ParityRebuilt> run(const std::set<Digest>& lost) {
    STRATA_TRY(const ParityListing listing, folder_.list(ParityFolder::Scope::All));
    std::set<Digest> wanted = lost;
    for (const StoredParity& one : listing.groups) {
      const bool isHit =
          std::any_of(one.group.members.begin(), one.group.members.end(),
                      [&](const ParityMember& member) { return wanted.contains(member.digest); });
      if (isHit) STRATA_TRY(mend(one, wanted));
    }
    for (const StoredParity& one : listing.groups) STRATA_TRY(mendShards(one));
    // Nobody knows what these protected.
    for (const fs::path& file : listing.unreadable) {
      STRATA_TRY(mayGoOn_());
      STRATA_TRY(folder_.removeFile(file));
    }
    rebuilt_.notRebuilt.assign(wanted.begin(), wanted.end());
    return std::move(rebuilt_);
  }

 private:
  /// What came back leaves `wanted`.
  Result<void> mend(const StoredParity& one, std::set<Digest>& wanted) {
    const HurtGroup group(one, objects_, folder_);
    if (group.lost().empty() || !group.canDecode()) return {};
    STRATA_TRY(std::vector<TempFile> files, group.decode(temporary_));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const ParityMember& member = group.lost()[i];
      if (!wanted.contains(member.digest)) continue;  // nobody misses it
      STRATA_TRY(files[i].makeReadOnly());
      STRATA_TRY(files[i].close());
      STRATA_TRY(const MappedFile file, MappedFile::open(files[i].path()));
      if (sha256(file.bytes()) != member.digest) continue;  // what it was made of changed meanwhile
      STRATA_TRY(mayGoOn_());
      STRATA_TRY(const fs::path place, objects_.makePlace(member.digest));
      STRATA_TRY(files[i].moveTo(place));
      wanted.erase(member.digest);
      rebuilt_.objects.push_back(member.digest);
      rebuilt_.byteCount += member.byteCount;
    }
    return {};
  }

  Result<void> mendShards(const StoredParity& one) {
    bool isSound = one.isWhole();
    std::uint64_t damaged = 0;
    for (std::uint8_t shard = 0; shard < one.group.ratio.shards; ++shard) {
      const auto file = folder_.open(one, shard);
      const bool fits = file && parityProblem(file->bytes(), one.group, shard).empty();
      isSound = isSound && fits;
      damaged += fits ? 0 : 1;
    }
    if (isSound) return {};
    STRATA_TRY(mayGoOn_());
    const ParityWriter writer(temporary_.parent_path(), objects_, folder_, mayGoOn_);
    STRATA_TRY(const std::vector<Digest> unfit, writer.write(nullptr, one));
    if (unfit.empty()) rebuilt_.shards += damaged;
    return {};
  }

  const fs::path temporary_;
  const ObjectFolder& objects_;
  const ParityFolder folder_;
  const std::function<Result<void>()>& mayGoOn_;
  ParityRebuilt rebuilt_;
};

}  // namespace

bool canBringBack(const StoredParity& group, const ObjectFolder& objects,
                  const ParityFolder& folder) {
  return HurtGroup(group, objects, folder).canDecode();
}

Result<ParityRebuilt> rebuildByParity(const fs::path& storeFolder, const ObjectFolder& objects,
                                      const std::set<Digest>& lost,
                                      const std::function<Result<void>()>& mayGoOn) {
  return Rebuild(storeFolder, objects, mayGoOn).run(lost);
}

}  // namespace strata
