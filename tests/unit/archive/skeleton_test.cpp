#include "core/archive/skeleton.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

Bytes text(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>('a' + random() % 26);
  return bytes;
}

ManifestFile fileOf(const Bytes& skeleton, const EncodedSkeleton& encoded) {
  ManifestFile file;
  file.path = "model.onnx";
  file.skeletonBytes = skeleton.size();
  file.skeletonChecksum = xxh3(skeleton);
  file.skeletonCodec = encoded.codec;
  return file;
}

EncodedSkeleton expectBack(const Bytes& skeleton, const Bytes& dictionary,
                           Effort effort = Effort::Best) {
  auto encoded = encodeSkeleton(skeleton, dictionary, effort);
  EXPECT_TRUE(encoded);
  const auto decoded = decodeSkeleton(fileOf(skeleton, *encoded), encoded->payload, dictionary);
  EXPECT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(sameBytes(*decoded, skeleton));
  return *std::move(encoded);
}

TEST(Skeleton, ComesBackWithAndWithoutAParent) {
  const Bytes parent = text(5000, 1);
  Bytes changed = parent;
  changed[2500] = std::byte{'!'};
  EXPECT_EQ(expectBack(parent, {}).codec, SkeletonCodec::Zstd);
  const EncodedSkeleton delta = expectBack(changed, parent);
  EXPECT_EQ(delta.codec, SkeletonCodec::Zstd);
  EXPECT_LT(delta.payload.size(), 60U);
  EXPECT_TRUE(expectBack(parent, parent).payload.empty());
  EXPECT_TRUE(expectBack({}, parent).payload.empty());
  EXPECT_EQ(expectBack(text(3, 2), {}).codec, SkeletonCodec::Raw);
}

TEST(Skeleton, IsHardlyLargerAtLessEffort) {
  const Bytes parent = text(2000, 1);
  const Bytes other = text(2000, 2);
  const std::size_t best = expectBack(other, parent).payload.size();
  EXPECT_LE(expectBack(other, parent, Effort::Fast).payload.size(), best + best / 10);
}

TEST(Skeleton, IsRejectedWhenCutOrFlipped) {
  const Bytes skeleton = text(300, 3);
  const EncodedSkeleton encoded = encodeSkeleton(skeleton, {}).value();
  const ManifestFile file = fileOf(skeleton, encoded);
  for (std::size_t kept = 0; kept < encoded.payload.size(); ++kept) {
    EXPECT_FALSE(decodeSkeleton(file, std::span(encoded.payload).first(kept), {})) << kept;
  }
  for (std::size_t bit = 0; bit < encoded.payload.size() * 8; ++bit) {
    Bytes damaged = encoded.payload;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto decoded = decodeSkeleton(file, damaged, {});
    EXPECT_TRUE(!decoded || *decoded == skeleton) << bit;
  }
}

TEST(Skeleton, IsRejectedWithAnotherParent) {
  const Bytes parent = text(5000, 4);
  Bytes changed = parent;
  changed[2500] = std::byte{'!'};
  const EncodedSkeleton encoded = encodeSkeleton(changed, parent).value();
  EXPECT_FALSE(decodeSkeleton(fileOf(changed, encoded), encoded.payload, text(5000, 5)));
  EXPECT_FALSE(decodeSkeleton(fileOf(changed, encoded), encoded.payload, {}));
}

TEST(Skeleton, MakesNoRoomAboveItsLimit) {
  const Bytes skeleton = text(300, 6);
  const EncodedSkeleton encoded = encodeSkeleton(skeleton, {}).value();
  ManifestFile file = fileOf(skeleton, encoded);
  file.skeletonBytes = kMostSkeletonBytes + 1;
  EXPECT_EQ(decodeSkeleton(file, encoded.payload, {}).error().code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace strata::test
