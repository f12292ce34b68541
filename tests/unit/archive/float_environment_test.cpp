#include "core/float_environment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "tests/support/version_store.h"

namespace strata {
namespace {

/// What a host process may have set: rounding upwards, and subnormals taken for zeros.
class HostileFloats {
 public:
  HostileFloats() {
    std::fegetenv(&saved_);
    std::fesetround(FE_UPWARD);
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  }
  ~HostileFloats() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};

/// Numbers around the smallest normal ones.
std::string tinyFloats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(4 * count, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = std::ldexp(static_cast<float>(random() % 20'000) - 10'000, -140);
    std::memcpy(&bytes[4 * i], &value, 4);
  }
  return bytes;
}

/// As weight decay leaves them: all smaller by one factor, and some noise.
std::string decayed(std::string bytes, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
    float value = 0;
    std::memcpy(&value, &bytes[4 * i], 4);
    value *= 0.96875F;
    std::uint32_t word = 0;
    std::memcpy(&word, &value, 4);
    word ^= static_cast<std::uint32_t>(random() % 4);
    std::memcpy(&bytes[4 * i], &word, 4);
  }
  return bytes;
}

std::unique_ptr<test::MemoryModel> modelOf(const std::string& tiny, const std::string& usual) {
  auto model = std::make_unique<test::MemoryModel>();
  model->addFile("m", "header",
                 {{"tiny", ElementType::F32, {200, 200}, tiny},
                  {"usual", ElementType::F32, {200, 200}, usual}});
  return model;
}

TEST(FloatEnvironment, ChangesNoBitOfWhatIsStoredAndRestored) {
  const std::string tiny = tinyFloats(40'000, 1);
  const std::string usual = test::randomFloats(40'000, 2);
  const auto base = modelOf(tiny, usual);
  const auto tuned = modelOf(decayed(tiny, 3), decayed(usual, 4));
  WriteOptions options;
  options.effort = Effort::Best;
  test::VersionStore quiet;
  const test::Reader quietBase = quiet.reader(quiet.add(*base, nullptr, options));
  const WriteReport expected = quiet.add(*tuned, quietBase, options);
  const HostileFloats hostile;
  ASSERT_EQ(std::fegetround(), FE_UPWARD);
  test::VersionStore other;
  const test::Reader otherBase = other.reader(other.add(*base, nullptr, options));
  const WriteReport found = other.add(*tuned, otherBase, options);
  EXPECT_EQ(toHex(found.manifestDigest), toHex(expected.manifestDigest));
  test::expectRestores(*quiet.reader(expected, quietBase), *tuned);
  EXPECT_EQ(std::fegetround(), FE_UPWARD) << "the caller's state comes back";
}

}  // namespace
}  // namespace strata
