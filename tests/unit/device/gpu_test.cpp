#include <gtest/gtest.h>

#include "core/archive/read/piece_decoder.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

/// A real device; skips where there is none.
class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    kernels::DeviceOpening opening = kernels::openCudaDevice();
    if (opening.engine == nullptr) GTEST_SKIP() << "no GPU: " << opening.reason;
  }

  /// Restores the only file of a version on the GPU, the whole at once and in pieces.
  static void expectOnGpu(const VersionReader& reader, const std::string& bytes) {
    Device device(DeviceWish::Cuda);
    auto decoder = PieceDecoder::make(&device, bytes.size());
    ASSERT_TRUE(decoder) << decoder.error().message;
    for (const std::uint64_t step : {bytes.size(), bytes.size() * 3 / 8 + 1}) {
      for (std::uint64_t at = 0; at < bytes.size(); at += step) {
        const std::uint64_t n = std::min<std::uint64_t>(step, bytes.size() - at);
        const auto piece = decoder->decode(reader, 0, at, n, 0);
        ASSERT_TRUE(piece) << piece.error().message;
        ASSERT_TRUE(std::ranges::equal(*piece, std::as_bytes(std::span(bytes)).subspan(at, n)));
      }
    }
  }

  /// A tuned version has the same objects from the CPU and from the GPU; `choice` is how all of its
  /// tensors are quantized, if they are.
  static void expectSameObjects(const std::optional<LossyChoice>& choice) {
    const auto base = makeModel(1, 3'000'000);
    const auto tuned = makeTuned(*base, 2);
    VersionStore stores[2];
    Device device(DeviceWish::Cuda);
    for (VersionStore& store : stores) {
      const Reader parent = store.reader(store.add(*base));
      WriteOptions options;
      options.device = &store == stores ? nullptr : &device;
      if (choice) options.lossy.assign(tuned->description().tensors.size(), choice);
      store.add(*tuned, parent, options);
    }
    EXPECT_TRUE(stores[0].objects.all() == stores[1].objects.all());
    EXPECT_EQ(device.note(), "");
  }
};

TEST_F(Gpu, RestoresAChainOfExactVersions) {
  VersionStore store;
  auto model = makeModel(1, 3'000'000);
  Reader reader = store.reader(store.add(*model));
  expectOnGpu(*reader, model->bytesOf(0));
  for (unsigned seed = 2; seed < 5; ++seed) {
    model = makeTuned(*model, seed, seed == 3 ? 0.01 : 0.3);
    reader = store.reader(store.add(*model, reader), reader);
    expectOnGpu(*reader, model->bytesOf(0));
  }
}

TEST_F(Gpu, WritesTheObjectsThatTheCpuWrites) { expectSameObjects({}); }

TEST_F(Gpu, FindsThePatternsThatTheCpuFinds) {
  expectSameObjects(LossyChoice{.codec = CodecId::Patterns});
}

}  // namespace
}  // namespace strata::test
