#include "tests/support/version_store.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/archive/read/piece_decoder.h"
#include "tests/support/host_engine.h"

namespace strata::test {
namespace {

std::span<std::byte> writable(std::string& text) { return std::as_writable_bytes(std::span(text)); }

/// Reads a file in pieces of sizes that fit nothing.
Result<std::string> readOddly(const VersionReader& reader, std::size_t file, std::uint64_t bytes) {
  std::string out(bytes, '\0');
  std::uint64_t at = 0;
  for (std::uint64_t step = 1; at < bytes; step = step * 5 % 7919 + 1) {
    const std::uint64_t n = std::min(step, bytes - at);
    STRATA_TRY(reader.read(file, at, writable(out).subspan(at, n)));
    at += n;
  }
  return out;
}

/// Short reads from the end to the start, each over the start of the one before.
void expectSameBackwards(const VersionReader& reader, std::size_t file, const std::string& bytes) {
  constexpr std::uint64_t kReads = 97;
  for (std::uint64_t i = kReads; i-- > 0;) {
    const std::uint64_t at = bytes.size() * i / kReads;
    std::string out(std::min<std::uint64_t>(131, bytes.size() - at), '\0');
    const auto done = reader.read(file, at, writable(out));
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(out, bytes.substr(at, out.size())) << "at " << at;
  }
}

/// Ranges that fit nothing and the whole, by the bodies of the CUDA kernels.
void expectSameOnDevice(const VersionReader& reader, std::size_t file, const std::string& bytes) {
  Device device(DeviceWish::Cuda, [] { return hostOpening(); });
  auto decoder = PieceDecoder::make(&device, bytes.size());
  ASSERT_TRUE(decoder) << decoder.error().message;
  for (const std::uint64_t step : {bytes.size(), bytes.size() * 3 / 8 + 1}) {
    for (std::uint64_t at = 0; at < bytes.size(); at += step) {
      const std::uint64_t n = std::min<std::uint64_t>(step, bytes.size() - at);
      const auto piece = decoder->decode(reader, file, at, n, 0);
      ASSERT_TRUE(piece) << piece.error().message;
      ASSERT_TRUE(std::ranges::equal(*piece, std::as_bytes(std::span(bytes)).subspan(at, n)))
          << at << " to " << at + n;
    }
  }
}

}  // namespace

WriteReport VersionStore::add(const ModelSource& model, const Reader& parent,
                              const WriteOptions& options) {
  auto report = writeVersion(model, parent, options, objects, {}, {});
  if (report) return *std::move(report);
  ADD_FAILURE() << report.error().message;
  return {};
}

Result<Reader> VersionStore::open(const Digest& digest, const Reader& parent) const {
  STRATA_TRY(const MappedFile object, objects.openObject(digest));
  STRATA_TRY(Manifest manifest, parseManifest(object.bytes()));
  return VersionReader::open(std::move(manifest), parent, objects);
}

Reader VersionStore::reader(const WriteReport& report, const Reader& parent) const {
  auto opened = open(report.manifestDigest, parent);
  if (opened) return *std::move(opened);
  ADD_FAILURE() << opened.error().message;
  return nullptr;
}

Result<Files> restored(const VersionReader& reader) {
  Files files;
  for (std::size_t f = 0; f < reader.manifest().files.size(); ++f) {
    const ManifestFile& file = reader.manifest().files[f];
    std::string bytes;
    const auto cuts = reader.pieces(f, 1 << 20);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const std::uint64_t count = cuts[i + 1] - cuts[i];
      if (count > std::uint64_t{1} << 28) return fail(ErrorCode::LimitExceeded, "piece too long");
      bytes.resize(cuts[i + 1]);
      STRATA_TRY(reader.read(f, cuts[i], writable(bytes).subspan(cuts[i], count)));
    }
    if (sha256(std::as_bytes(std::span(bytes))) != file.sha256) {
      return fail(ErrorCode::CorruptData, file.path + " does not match its digest");
    }
    files[file.path] = std::move(bytes);
  }
  return files;
}

Files filesOf(const MemoryModel& model) {
  Files files;
  const auto& described = model.description().files;
  for (std::size_t f = 0; f < described.size(); ++f) files[described[f].path] = model.bytesOf(f);
  return files;
}

void expectRestores(const VersionReader& reader, const MemoryModel& model) {
  const auto files = restored(reader);
  ASSERT_TRUE(files) << files.error().message;
  const Files expected = filesOf(model);
  ASSERT_EQ(files->size(), expected.size());
  std::size_t index = 0;
  for (const auto& [path, bytes] : expected) {
    ASSERT_TRUE(files->contains(path)) << path;
    ASSERT_TRUE(files->at(path) == bytes) << path << " differs";
    const auto odd = readOddly(reader, index, bytes.size());
    ASSERT_TRUE(odd) << odd.error().message;
    ASSERT_TRUE(*odd == bytes) << path << " differs in odd pieces";
    if (!bytes.empty()) expectSameBackwards(reader, index, bytes);
    if (!bytes.empty()) expectSameOnDevice(reader, index, bytes);
    ++index;
  }
}

std::string codecsOf(const WriteReport& report, const std::string& tensor) {
  for (const ManifestTensor& stored : report.manifest.tensors) {
    if (stored.name == tensor) return codecNames(stored);
  }
  return "no such tensor";
}

}  // namespace strata::test
