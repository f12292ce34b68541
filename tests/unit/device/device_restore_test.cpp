#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/ops/care/verify_store.h"
#include "tests/support/host_engine.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {
namespace {

/// A base, a tuned version and one tuned further.
class DeviceRestore : public StoreFixture {
 protected:
  void SetUp() override {
    const auto base = makeModel(1, 300'000);
    const auto tuned = makeTuned(*base, 2);
    further_ = makeTuned(*tuned, 3);
    import("base", *base);
    add("tune", *tuned, "base");
    add("tune", *further_, "base");
  }

  Result<std::string> restored(Device& device) {
    const auto target = folder_ / "out.safetensors";
    STRATA_TRY(restoreVersion(
        store(), {.reference = "tune", .target = target, .force = true, .device = &device}, {},
        {}));
    std::ostringstream bytes;
    bytes << std::ifstream(target, std::ios::binary).rdbuf();
    return bytes.str();
  }

  void expectRestored(Device& device) {
    const auto bytes = restored(device);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(*bytes, further_->bytesOf(0));
  }

  /// Flips a bit in the middle of each pack.
  void damagePacks() {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(storeFolder() / "objects")) {
      if (!file.is_regular_file() || file.file_size() < 20'000) continue;
      std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all);
      std::fstream pack(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      pack.seekg(static_cast<std::streamoff>(file.file_size() / 2));
      const char byte = static_cast<char>(pack.peek() ^ 16);
      pack.seekp(static_cast<std::streamoff>(file.file_size() / 2));
      pack.put(byte);
    }
  }

  std::unique_ptr<MemoryModel> further_;
};

TEST_F(DeviceRestore, GivesTheFilesThatWereAdded) {
  std::size_t decoded = 0;
  Device device(DeviceWish::Cuda, [&] { return hostOpening({.decoded = &decoded}); });
  expectRestored(device);
  EXPECT_GT(decoded, 6U) << "the chain's blocks were not decoded on the device";
  EXPECT_EQ(device.note(), "");
}

TEST_F(DeviceRestore, GoesOnWithTheCpuWhenMemoryRunsOut) {
  for (const HostEngineOptions& options :
       {HostEngineOptions{.mostInputBytes = 5000}, HostEngineOptions{.mostRuns = 0}}) {
    Device device(
        DeviceWish::Auto, [&] { return hostOpening(options); }, 0);
    expectRestored(device);
    EXPECT_NE(device.note().find("out of memory"), std::string::npos) << device.note();
    Device insisted(DeviceWish::Cuda, [&] { return hostOpening(options); });
    const auto refused = restored(insisted);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Device);
    EXPECT_NE(refused.error().message.find("out of memory"), std::string::npos)
        << refused.error().message;
  }
}

TEST_F(DeviceRestore, DoesNotBelieveAWrongDevice) {
  Device device(
      DeviceWish::Auto, [] { return hostOpening({.isWrong = true}); }, 0);
  expectRestored(device);
  EXPECT_NE(device.note(), "");
  Device insisted(DeviceWish::Cuda, [] { return hostOpening({.isWrong = true}); });
  const auto refused = restored(insisted);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Device);
  EXPECT_NE(refused.error().message.find("it decoded sound blocks wrongly"), std::string::npos);
}

TEST_F(DeviceRestore, NamesDamageAsTheCpuDoes) {
  damagePacks();
  reopen();
  Device cpu(DeviceWish::Cpu);
  const auto expected = restored(cpu);
  ASSERT_FALSE(expected);
  Device device(DeviceWish::Cuda, [] { return hostOpening(); });
  const auto found = restored(device);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::CorruptData);
  EXPECT_EQ(found.error().message, expected.error().message);
}

TEST_F(DeviceRestore, VerifiesByDecoding) {
  std::size_t decoded = 0;
  Device device(DeviceWish::Cuda, [&] { return hostOpening({.decoded = &decoded}); });
  const auto report =
      verifyStore(store(), {.level = VerifyOptions::Level::Rebuild, .device = &device}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->sound());
  EXPECT_GT(decoded, 6U);
}

}  // namespace
}  // namespace strata::test
