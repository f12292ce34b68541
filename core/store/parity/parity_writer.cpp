#include "core/store/parity/parity_writer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/io/temp_file.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// Members that are in one of the groups alone, or have another column there.
std::vector<ParityMember> changedMembers(const ParityGroup& from, const ParityGroup& to) {
  const auto has = [](const ParityGroup& group, const ParityMember& member) {
    return std::find(group.members.begin(), group.members.end(), member) != group.members.end();
  };
  std::vector<ParityMember> changed;
  for (const ParityMember& member : from.members) {
    if (!has(to, member)) changed.push_back(member);
  }
  for (const ParityMember& member : to.members) {
    if (!has(from, member)) changed.push_back(member);
  }
  return changed;
}

/// `work` and, at the same time where there is much to do, `each` of the indices below `count`.
Result<void> besideEach(std::size_t count, std::uint64_t byteCount,
                        const std::function<Result<void>()>& work,
                        const std::function<void(std::size_t)>& each) {
  const auto body = [&](std::size_t i) -> Result<void> {
    if (i == count) return work();
    each(i);
    return {};
  };
  if (byteCount == kParityStepBytes) return parallelFor(count + 1, body);
  for (std::size_t i = 0; i <= count; ++i) STRATA_TRY(body(i));
  return {};
}

}  // namespace

/// An object that is read from its beginning to its end.
struct ParityWriter::Source {
  ParityMember member;
  MappedFile file;
  Sha256 hash = {};
};

/// A shard that is being written.
struct ParityWriter::Shard {
  TempFile file;
  Xxh3 hash = {};

  Result<void> append(std::span<const std::byte> bytes) {
    hash.update(bytes);
    return file.append(bytes);
  }

  Result<void> finish() {
    std::array<std::byte, kParityChecksumBytes> last{};
    const std::uint64_t checksum = hash.finish();
    for (std::size_t i = 0; i < last.size(); ++i) {
      last[i] = static_cast<std::byte>(checksum >> (8 * i) & 0xff);
    }
    STRATA_TRY(file.append(last));
    return file.makeReadOnly();
  }
};

Result<std::vector<Digest>> ParityWriter::write(const StoredParity* from,
                                                const StoredParity& to) const {
  std::vector<Digest> lost;
  const bool hasParity = from != nullptr && from->group.ratio == to.group.ratio && from->isWhole();
  if (!hasParity) return encode(nullptr, to.group.members, to);
  // The cheaper way first; where that is barred, the other one may do.
  const std::vector<ParityMember> changed = changedMembers(from->group, to.group);
  const bool changesFirst = changed.size() < to.group.members.size();
  for (const bool changes : {changesFirst, !changesFirst}) {
    STRATA_TRY(std::vector<Digest> unfit,
               encode(changes ? from : nullptr, changes ? changed : to.group.members, to));
    if (unfit.empty()) return unfit;
    if (!changes) lost = std::move(unfit);
  }
  return lost;
}

/// Whether all shards of a group are sound.
bool ParityWriter::openShards(const StoredParity& from, std::vector<MappedFile>& files) const {
  for (std::uint8_t shard = 0; shard < from.group.ratio.shards; ++shard) {
    auto file = folder_.open(from, shard);
    if (!file || !parityProblem(file->bytes(), from.group, shard).empty()) return false;
    files.push_back(*std::move(file));
  }
  return true;
}

Result<std::vector<Digest>> ParityWriter::encode(const StoredParity* from,
                                                 const std::vector<ParityMember>& changed,
                                                 const StoredParity& to) const {
  std::vector<Digest> unfit;
  std::vector<Source> sources;
  for (const ParityMember& member : changed) {
    auto file = objects_.open(member.digest);
    if (!file || file->bytes().size() != member.byteCount) {
      unfit.push_back(member.digest);
    } else {
      sources.push_back({member, *std::move(file)});
    }
  }
  std::vector<MappedFile> before;
  // Whoever asked takes any answer that is not empty for a reason to read all members.
  if (from != nullptr && !openShards(*from, before)) unfit.push_back(from->id);
  if (!unfit.empty()) return unfit;

  const std::uint8_t shardCount = to.group.ratio.shards;
  const ParityCode code(to.group.ratio);
  std::vector<Shard> shards;
  for (std::uint8_t i = 0; i < shardCount; ++i) {
    STRATA_TRY(TempFile file, TempFile::createForStore(temporary_, "parity"));
    shards.push_back({std::move(file)});
    const std::string header = to.group.header(i);
    STRATA_TRY(shards.back().append(std::as_bytes(std::span(header))));
  }
  const std::uint64_t length = to.group.shardBytes();
  std::vector<std::vector<std::byte>> sums(shardCount);
  groupBytes_ = 0;
  for (std::uint64_t at = 0; at < length; at += kParityStepBytes) {
    const std::uint64_t count = std::min(kParityStepBytes, length - at);
    for (std::uint8_t i = 0; i < shardCount; ++i) {
      sums[i].assign(count, std::byte{0});
      if (from == nullptr) continue;
      const std::uint64_t start = parityHeaderBytes(from->group.members.size());
      const auto parity = before[i].bytes().subspan(start, from->group.shardBytes());
      std::ranges::copy(parityRange(parity, at, count), sums[i].begin());
    }
    // Hashing takes most of the time; the parity is computed and written beside it.
    const auto encodeStep = [&]() -> Result<void> {
      for (const Source& source : sources) {
        code.add(source.member.column, parityRange(source.file.bytes(), at, count), sums);
      }
      for (std::uint8_t i = 0; i < shardCount; ++i) STRATA_TRY(shards[i].append(sums[i]));
      return {};
    };
    STRATA_TRY(besideEach(sources.size(), count, encodeStep, [&](std::size_t i) {
      sources[i].hash.update(parityRange(sources[i].file.bytes(), at, count));
    }));
    groupBytes_ += count * shardCount;
    if (length > kParityStepBytes) STRATA_TRY(mayGoOn_());
  }
  for (Source& source : sources) {
    source.hash.update(parityRange(source.file.bytes(), length, source.file.bytes().size()));
    if (source.hash.finish() != source.member.digest) unfit.push_back(source.member.digest);
  }
  groupBytes_ = 0;
  if (unfit.empty()) STRATA_TRY(place(shards, to));
  return unfit;
}

Result<void> ParityWriter::place(std::vector<Shard>& shards, const StoredParity& to) const {
  const bool isLarge = to.group.shardBytes() > kParityStepBytes;
  // Each waits for the disk.
  const auto finish = [&](std::size_t i) -> Result<void> {
    STRATA_TRY(shards[i].finish());
    return shards[i].file.close();
  };
  if (isLarge) STRATA_TRY(parallelFor(shards.size(), finish));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (!isLarge) STRATA_TRY(finish(i));
    STRATA_TRY(const std::filesystem::path file, folder_.makePlace(to, i));
    STRATA_TRY(shards[i].file.moveTo(file));
    writtenBytes_ += shards[i].file.byteCount();
  }
  return {};
}

}  // namespace strata
