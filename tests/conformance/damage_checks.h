#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/part_samples.h"

namespace strata::test {

using Decode = std::function<Result<Bytes>(std::span<const std::byte>)>;

inline void expectRejected(const Result<Bytes>& decoded, const std::string& what) {
  ASSERT_FALSE(decoded) << "accepted " << what;
  EXPECT_EQ(decoded.error().code, ErrorCode::CorruptData) << what;
}

inline void expectEveryCutRejected(const Bytes& payload, const Decode& decode) {
  for (std::size_t kept = 0; kept < payload.size(); ++kept) {
    expectRejected(decode(std::span(payload).first(kept)),
                   std::to_string(kept) + " of " + std::to_string(payload.size()) + " bytes");
  }
}

/// A flip may hit bits that do not matter for these words; it never gives other words.
inline void expectNoFlipBelieved(const Bytes& payload, const Decode& decode, const Bytes& words,
                                 std::size_t harmlessOf = 10) {
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    Bytes damaged = payload;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto decoded = decode(damaged);
    if (decoded) {
      ++harmless;
      ASSERT_TRUE(sameBytes(*decoded, words)) << "bit " << bit;
    } else {
      ASSERT_EQ(decoded.error().code, ErrorCode::CorruptData) << "bit " << bit;
    }
  }
  EXPECT_LE(harmless, payload.size() * 8 / harmlessOf) << "of " << payload.size() * 8 << " bits";
}

}  // namespace strata::test
