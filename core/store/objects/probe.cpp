#include "core/store/objects/probe.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/model/content_hash.h"
#include "core/parallel.h"

namespace strata {
namespace {

constexpr std::uint64_t kSampleBytes = 4096;
constexpr std::uint64_t kSamplesPerFile = 256;

/// Samples at even distances, the first and last bytes among them.
std::uint64_t probeFile(const FileBytes& bytes) {
  if (bytes.size() <= kSampleBytes * kSamplesPerFile) {
    std::vector<std::byte> all(bytes.size());
    bytes.copy(0, all);
    return xxh3(all);
  }
  std::array<std::uint64_t, kSamplesPerFile> sums{};
  std::array<std::byte, kSampleBytes> sample;
  const std::uint64_t last = bytes.size() - kSampleBytes;
  for (std::uint64_t i = 0; i < kSamplesPerFile; ++i) {
    const std::uint64_t at = last / (kSamplesPerFile - 1) * i;
    bytes.copy(i + 1 == kSamplesPerFile ? last : at, sample);
    sums[i] = xxh3(sample);
  }
  return xxh3(std::as_bytes(std::span(sums)));
}

}  // namespace

std::uint64_t probeModel(const ModelDescription& model) noexcept {
  std::uint64_t sum = 0;
  for (const ModelFile& file : model.files) {
    const std::array<std::uint64_t, 4> parts{sum, xxh3(std::as_bytes(std::span(file.path))),
                                             file.bytes.size(), probeFile(file.bytes)};
    sum = xxh3(std::as_bytes(std::span(parts)));
  }
  return std::max<std::uint64_t>(sum, 1);
}

Result<Digest> hashModel(const ModelSource& source) {
  const ModelDescription& model = source.description();
  std::vector<Digest> sums(model.files.size());
  const auto hashed = parallelFor(model.files.size(), [&](std::size_t i) -> Result<void> {
    Sha256 hash;
    const FileBytes& bytes = model.files[i].bytes;
    bytes.forEachRun(0, bytes.size(), [&](std::span<const std::byte> run) { hash.update(run); });
    sums[i] = hash.finish();
    return {};
  });
  static_cast<void>(hashed);  // hashing cannot fail
  STRATA_TRY(source.checkUnchanged());
  ContentHash hash;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    hash.add(model.files[i].path, model.files[i].bytes.size(), sums[i].bytes);
  }
  return hash.finish();
}

std::uint64_t originalBytes(const ModelDescription& model) noexcept {
  std::uint64_t sum = 0;
  for (const ModelFile& file : model.files) sum += file.bytes.size();
  return sum;
}

}  // namespace strata
