#include "core/archive/file_check.h"

#include <gtest/gtest.h>

#include "core/ops/detail/version_stream.h"
#include "weights.h"

namespace strata::test {
namespace {

using Level = FileCheck::Level;

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

/// What a restore gives: random bytes with a fixed seed.
std::string someBytes(std::size_t count) { return randomFloats(count / 4 + 1, 5).substr(0, count); }

std::string checksumsOf(std::string_view bytes, std::size_t step) {
  PieceChecksums checksums;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    checksums.update(bytesOf(bytes.substr(at, step)));
  }
  return checksums.finish();
}

archive::File describe(std::string_view bytes) {
  archive::File file;
  file.set_path("model.bin");
  file.set_byte_count(bytes.size());
  file.set_sha256(toBytes(sha256(bytesOf(bytes))));
  file.set_piece_checksums(checksumsOf(bytes, bytes.size()));
  return file;
}

Result<void> check(const archive::File& file, Level level, std::string_view bytes) {
  FileCheck checked(file, level);
  constexpr std::size_t kStep = 1'000'003;
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    STRATA_TRY(checked.update(bytesOf(bytes.substr(at, kStep))));
  }
  return checked.finish();
}

TEST(PieceChecksums, AreThoseOfTheSpecification) {
  // XXH3-128 of "abc" is 06b05ab6733a618578af5f94892f3950, the low half last.
  EXPECT_EQ(checksumsOf("abc", 3),
            "\x50\x39\x2f\x89\x94\x5f\xaf\x78\x85\x61\x3a\x73\xb6\x5a\xb0\x06");
  EXPECT_EQ(PieceChecksums().finish(), "");
}

TEST(PieceChecksums, AreSixteenBytesForEachPiece) {
  for (const std::size_t more : {0U, 1U, 200U, 5000U}) {
    const std::string bytes = someBytes(kCheckedPieceBytes + more);
    const std::string whole = checksumsOf(bytes, bytes.size());
    EXPECT_EQ(whole.size(), more == 0 ? 16U : 32U);
    EXPECT_EQ(whole.size(), pieceChecksumBytes(bytes.size()));
    for (const std::size_t step : {4099UL, 3UL << 20}) {
      EXPECT_EQ(checksumsOf(bytes, step), whole) << step << " bytes at a time";
    }
    EXPECT_EQ(whole.substr(16), checksumsOf(std::string_view(bytes).substr(4 << 20), more + 1));
  }
  EXPECT_EQ(pieceChecksumBytes(0), 0U);
  EXPECT_EQ(pieceChecksumBytes(~std::uint64_t{0}), std::uint64_t{1} << 46U);
}

TEST(FileCheck, FindsOneBitInAnyPieceAndNamesThePiece) {
  const std::string bytes = someBytes(kCheckedPieceBytes + 70'000);
  const archive::File file = describe(bytes);
  ASSERT_TRUE(check(file, Level::Pieces, bytes));
  ASSERT_TRUE(check(file, Level::Sha256, bytes));
  for (const auto& [at, piece] :
       {std::pair{0UL, "its bytes 0 to 4194303 are"},
        std::pair{(4UL << 20) - 1, "its bytes 0 to 4194303 are"},
        std::pair{4UL << 20, "its bytes 4194304 to 4264303 are"},
        std::pair{bytes.size() - 1, "its bytes 4194304 to 4264303 are"}}) {
    std::string flipped = bytes;
    flipped[at] ^= 1;
    const auto found = check(file, Level::Pieces, flipped);
    ASSERT_FALSE(found) << at;
    EXPECT_EQ(found.error().code, ErrorCode::CorruptData);
    EXPECT_EQ(found.error().message.substr(0, std::string_view(piece).size()), piece);
  }
}

TEST(FileCheck, ComparesTheDigestWhereItIsAskedToOrThereIsNothingElse) {
  const std::string bytes = someBytes(300'000);
  archive::File file = describe(bytes);
  (*file.mutable_sha256())[7] ^= 1;
  EXPECT_TRUE(check(file, Level::Pieces, bytes));
  EXPECT_FALSE(check(file, Level::Sha256, bytes));
  file.clear_piece_checksums();
  EXPECT_FALSE(check(file, Level::Pieces, bytes)) << "stored by an earlier program";
}

TEST(FileCheck, ComparesPiecesAlsoWhereItComparesTheDigest) {
  const std::string bytes = someBytes(300'000);
  archive::File file = describe(bytes);
  (*file.mutable_piece_checksums())[15] ^= 1;
  EXPECT_FALSE(check(file, Level::Pieces, bytes));
  EXPECT_FALSE(check(file, Level::Sha256, bytes));
}

TEST(FileCheck, ComparesSomePiecesOnly) {
  const std::string bytes = someBytes(2 * kCheckedPieceBytes + 70'000);
  const archive::File file = describe(bytes);
  const std::string_view last = std::string_view(bytes).substr(2 * kCheckedPieceBytes);
  for (const std::size_t flipped : {std::string::npos, std::size_t{0}, last.size() - 1}) {
    FileCheck some(file, 2 * kCheckedPieceBytes);
    std::string given(last);
    if (flipped != std::string::npos) given[flipped] ^= 1;
    ASSERT_TRUE(some.update(bytesOf(given)));
    const auto ended = some.finish();
    EXPECT_EQ(ended.has_value(), flipped == std::string::npos);
    if (ended) continue;
    EXPECT_EQ(ended.error().code, ErrorCode::CorruptData);
    EXPECT_TRUE(ended.error().message.starts_with("its bytes 8388608 to 8458607 are"))
        << ended.error().message;
  }
}

/// A file of two pieces and one that is too small for any.
MemoryModel modelOfTwoFiles() {
  MemoryModel model("folder");
  model.addFile("a.bin", "head", {{"a", ElementType::U8, {5'000'000}, std::string(5'000'000, 'a')}},
                "tail");
  model.addFile("b.bin", "head", {{"b", ElementType::U8, {262'139}, std::string(262'139, 'b')}});
  return model;
}

TEST(VersionWriter, GivesFilesChecksumsOfTheirPieces) {
  VersionStore store;
  const MemoryModel model = modelOfTwoFiles();
  const Manifest manifest = store.add(model).manifest;
  const std::string bytes = model.bytesOf(0);
  EXPECT_EQ(manifest.files(0).piece_checksums(), checksumsOf(bytes, bytes.size()));
  EXPECT_EQ(manifest.files(0).piece_checksums().size(), 32U);
  ASSERT_EQ(model.bytesOf(1).size(), kLeastCheckedBytes - 1);
  EXPECT_EQ(manifest.files(1).piece_checksums(), "") << "a digest is as cheap";
}

struct CollectingSink final : ByteSink {
  Result<void> append(std::span<const std::byte> more) override {
    bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
    return {};
  }
  std::string bytes;
};

Result<void> stream(const VersionStore& store, const Manifest& manifest, Level level) {
  STRATA_TRY(const Reader reader, VersionReader::open(manifest, nullptr, store.objects));
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(nullptr, 0));
  const ProgressSink silent;
  ProgressMeter meter(silent, "restoring", 0);
  NullSink sink;
  return streamFile(*reader, 0, sink, level, {}, meter, decoder);
}

TEST(StreamFile, FailsWhereAPieceIsAnotherOne) {
  VersionStore store;
  const Manifest manifest = store.add(modelOfTwoFiles()).manifest;
  ASSERT_TRUE(stream(store, manifest, Level::Pieces));
  Manifest forged = manifest;
  (*forged.mutable_files(0)->mutable_piece_checksums())[31] ^= 1;
  const auto found = stream(store, forged, Level::Pieces);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::CorruptData);
  EXPECT_TRUE(found.error().message.starts_with("a.bin: its bytes 4194304 to 5000007 are"))
      << found.error().message;
}

TEST(StreamPieces, ReadNothingButWhatWasAskedFor) {
  VersionStore store;
  const MemoryModel model = modelOfTwoFiles();
  Manifest forged = store.add(model).manifest;
  (*forged.mutable_files(0)->mutable_piece_checksums())[31] ^= 1;
  const auto reader = VersionReader::open(forged, nullptr, store.objects);
  ASSERT_TRUE(reader);
  const ProgressSink silent;
  ProgressMeter meter(silent, "restoring", 0);
  auto decoder = PieceDecoder::make(nullptr, 0);
  CollectingSink first;
  ASSERT_TRUE(streamPieces(**reader, 0, 0, kCheckedPieceBytes, first, {}, meter, *decoder));
  EXPECT_TRUE(first.bytes == model.bytesOf(0).substr(0, kCheckedPieceBytes));
  CollectingSink second;
  const auto found =
      streamPieces(**reader, 0, kCheckedPieceBytes, 5'000'008, second, {}, meter, *decoder);
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().message.starts_with("a.bin: its bytes 4194304 to 5000007 are"))
      << found.error().message;
}

TEST(StreamFile, ComparesTheDigestWhenAsked) {
  VersionStore store;
  Manifest forged = store.add(modelOfTwoFiles()).manifest;
  (*forged.mutable_files(0)->mutable_sha256())[0] ^= 1;
  EXPECT_TRUE(stream(store, forged, Level::Pieces));
  EXPECT_FALSE(stream(store, forged, Level::Sha256));
}

}  // namespace
}  // namespace strata::test
