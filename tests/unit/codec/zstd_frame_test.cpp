#include "core/codec/entropy/zstd_frame.h"

#include <gtest/gtest.h>

#include <string>

namespace strata {
namespace {

/// A frame of no bytes: magic, descriptor, content size, one last raw block.
const std::string kFrame("\x28\xB5\x2F\xFD\x20\x00\x01\x00\x00", 9);
/// A frame that decoders skip.
const std::string kSkipped("\x50\x2A\x4D\x18\x01\x00\x00\x00x", 9);

bool isOne(const std::string& bytes) { return isOneZstdFrame(std::as_bytes(std::span(bytes))); }

TEST(ZstdFrame, IsOneFromTheFirstByteToTheLast) {
  EXPECT_TRUE(isOne(kFrame));
  for (std::size_t kept = 0; kept < kFrame.size(); ++kept) {
    EXPECT_FALSE(isOne(kFrame.substr(0, kept))) << kept;
  }
  EXPECT_FALSE(isOne(kFrame + "x"));
}

TEST(ZstdFrame, StandsAlone) {
  EXPECT_FALSE(isOne(kFrame + kFrame));
  EXPECT_FALSE(isOne(kSkipped));
  EXPECT_FALSE(isOne(kSkipped + kFrame));
  EXPECT_FALSE(isOne(kFrame + kSkipped));
}

}  // namespace
}  // namespace strata
