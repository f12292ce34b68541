#include "onnx_io/torch/optimizer_groups.h"

#include <gtest/gtest.h>

#include "core/io/mapped_file.h"
#include "tests/support/zip_encoder.h"

namespace strata {
namespace {

using namespace std::string_literals;

class EveryOptimizer : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<OptimizerGroups> read(const std::string& name) {
    const auto path = std::filesystem::path(STRATA_TEST_DATA) / "pytorch" / GetParam() / name;
    const auto file = MappedFile::open(path);
    EXPECT_TRUE(file);
    auto groups = readOptimizerGroups(file->bytes());
    EXPECT_TRUE(groups) << groups.error().message;
    return groups ? std::move(*groups) : std::vector<OptimizerGroups>();
  }
};

TEST_P(EveryOptimizer, SaysItsSettings) {
  const auto optimizers = read("optimizer.pt");
  ASSERT_EQ(optimizers.size(), 1U);
  const OptimizerGroups& adam = optimizers[0];
  ASSERT_EQ(adam.groups.size(), 2U);
  EXPECT_EQ(adam.groups[0].params, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(adam.groups[1].params, (std::vector<std::string>{"2", "3"}));
  EXPECT_EQ(adam.groups[0].lr(), 0.5);
  EXPECT_EQ(adam.groups[1].lr(), 0.25);
  EXPECT_EQ(adam.groups[0].beta1(), 0.75);
  EXPECT_EQ(adam.groups[0].beta2(), 0.875);
  EXPECT_EQ(adam.groups[0].eps(), 0x1p-20);
  EXPECT_EQ(adam.groups[0].weightDecay(), 0.125);
  EXPECT_EQ(adam.groups[1].weightDecay(), 0.0);
  EXPECT_EQ(adam.groups[0].number("amsgrad"), 0.0);
  EXPECT_FALSE(adam.groups[0].momentum());
  ASSERT_EQ(adam.steps.size(), 4U);
  EXPECT_EQ(adam.steps.at("3"), 2.0);
  EXPECT_EQ(adam.tensorName("3", "exp_avg"), "state.3.exp_avg");
}

TEST_P(EveryOptimizer, IsFoundInACheckpoint) {
  const auto optimizers = read("run.ckpt");
  ASSERT_EQ(optimizers.size(), 1U);
  EXPECT_EQ(optimizers[0].name, "optimizer_states.0");
  EXPECT_EQ(optimizers[0].tensorName("0", "exp_avg"), "optimizer_states.0.state.0.exp_avg");
  EXPECT_TRUE(read("weights.pt").empty());
}

INSTANTIATE_TEST_SUITE_P(Release, EveryOptimizer, ::testing::Values("1.13", "2.15"),
                         [](const auto& row) {
                           return std::string(row.index == 0 ? "OfDebian" : "Newest");
                         });

TEST(OptimizerGroups, AreNoneInWhatIsNoArchive) {
  const std::string text = "no archive";
  EXPECT_FALSE(readOptimizerGroups(std::as_bytes(std::span(text))));
}

/// Groups that are one group, many times: what they hold is bounded together.
TEST(OptimizerGroups, AreBounded) {
  std::string pickle = "\x80\x02}(X\x05\0\0\0stateNX\x0C\0\0\0param_groups]("s;
  pickle += "}X\x06\0\0\0params]("s;
  pickle.append(2'000, 'N');
  pickle += "esq\1"s;
  for (int i = 0; i < 1'000; ++i) pickle += "h\1";
  const std::string file = test::torchFile(pickle + "eu.", {});
  const auto groups = readOptimizerGroups(std::as_bytes(std::span(file)));
  ASSERT_FALSE(groups);
  EXPECT_NE(groups.error().message.find("more than 1000000 weights"), std::string::npos);
}

/// Optimizers that share one state: what it costs to read them is bounded together, too.
TEST(OptimizerGroups, OfOneStateAreBounded) {
  std::string pickle = "\x80\x02]("s;
  pickle += "}(X\x05\0\0\0state}q\1("s;
  for (int i = 0; i < 2'000; ++i) {
    pickle +=
        "M"s + static_cast<char>(i & 255) + static_cast<char>(i >> 8) + "}X\x04\0\0\0stepK\5s"s;
  }
  pickle += "uX\x0C\0\0\0param_groups]u"s;
  for (int i = 0; i < 1'000; ++i) {
    pickle += "}(X\x05\0\0\0stateh\1X\x0C\0\0\0param_groups]u"s;
  }
  const std::string file = test::torchFile(pickle + "e.", {});
  const auto groups = readOptimizerGroups(std::as_bytes(std::span(file)));
  ASSERT_FALSE(groups);
  EXPECT_NE(groups.error().message.find("state of more than 1000000 weights"), std::string::npos)
      << groups.error().message;
}

/// Each weight has a name of a kilobyte, which the pickle has once.
TEST(OptimizerGroups, OfLongNamesAreBounded) {
  std::string pickle = "\x80\x02}(X\x05\0\0\0stateNX\x0C\0\0\0param_groups](}X\6\0\0\0params]("s;
  pickle += "X\xE8\3\0\0"s + std::string(1'000, 'n') + "q\1"s;
  for (int i = 0; i < 70'000; ++i) pickle += "h\1";
  const std::string file = test::torchFile(pickle + "eseu.", {});
  const auto groups = readOptimizerGroups(std::as_bytes(std::span(file)));
  ASSERT_FALSE(groups);
  EXPECT_NE(groups.error().message.find("long names"), std::string::npos) << groups.error().message;
}

}  // namespace
}  // namespace strata
