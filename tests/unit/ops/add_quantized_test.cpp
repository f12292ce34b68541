#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/quantize/quantizer.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/version_chain.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;
using test::restoredBytes;
using Outcome = AddReport::Outcome;

constexpr std::size_t kRows = 64;
constexpr std::size_t kColumns = 48;

/// Matrices of one shape, some of them given twice.
std::unique_ptr<MemoryModel> modelOf(const std::vector<std::string>& words) {
  std::vector<MemoryModel::Weight> weights;
  for (std::size_t i = 0; i < words.size(); ++i) {
    weights.push_back({"w" + std::to_string(i), ElementType::F32, {kRows, kColumns}, words[i]});
  }
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights, "tail");
  return model;
}

class AddQuantized : public test::StoreFixture {
 protected:
  AddQuantized()
      : first_(test::randomFloats(kRows * kColumns, 1)),
        second_(test::randomFloats(kRows * kColumns, 2)),
        tunedFirst_(test::tunedFloats(first_, 1, 3)),
        tunedSecond_(test::tunedFloats(second_, 1, 4)) {
    import("base", *modelOf({first_, second_, first_}));
  }

  static AddOptions lossy(QuantizeSettings settings = {}) {
    AddOptions options;
    options.name = "tuned";
    options.baseChoice = BaseChoice::Reference;
    options.base = "base";
    options.quantize = std::move(settings);
    return options;
  }

  std::string first_, second_, tunedFirst_, tunedSecond_;
};

TEST_F(AddQuantized, RestoresWhatTheManifestSays) {
  const auto model = modelOf({tunedFirst_, tunedSecond_, tunedFirst_});
  const AddReport added = add(*model, lossy());
  EXPECT_EQ(added.outcome, Outcome::Stored);
  EXPECT_TRUE(added.version.lossy);
  EXPECT_TRUE(added.keptExact.empty());
  const auto restored = restoredBytes(store(), "tuned");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->size(), model->bytesOf(0).size());
  EXPECT_NE(*restored, model->bytesOf(0));
  EXPECT_EQ(restored->substr(0, 6), "header");
  EXPECT_EQ(restored->substr(restored->size() - 4), "tail");
}

TEST_F(AddQuantized, IsExactWhereNothingWasLost) {
  const auto mixed = [&](unsigned seed) {
    auto model = std::make_unique<MemoryModel>();
    model->addFile("model.safetensors", "header",
                   {{"codes", ElementType::I32, {3000}, test::randomFloats(3000, seed)},
                    {"w", ElementType::F32, {kRows, kColumns}, first_}});
    return model;
  };
  import("mixed", *mixed(5));
  AddOptions options = lossy();
  options.base = "mixed";
  const auto model = mixed(6);
  const AddReport added = add(*model, options);
  EXPECT_FALSE(added.version.lossy);
  EXPECT_TRUE(comesBack("tuned", *model));
}

TEST_F(AddQuantized, FindsOutWhereTheExactVersionIsNoLarger) {
  std::string near = first_;
  near[0] = static_cast<char>(near[0] ^ 1);
  const auto alike = modelOf({near, second_, first_});
  AddOptions options = lossy();
  EXPECT_FALSE(add(*alike, options).exactBytes);
  options.name = "next";
  options.compareExact = true;
  options.dryRun = true;
  const AddReport compared = add(*alike, options);
  const AddReport tuned = add(*modelOf({tunedFirst_, tunedSecond_, first_}), options);
  EXPECT_FALSE(tuned.exactBytes);
  options.quantize.reset();
  const std::uint64_t exactBytes = add(*alike, options).version.storedBytes;
  EXPECT_LE(exactBytes, compared.version.storedBytes);
  EXPECT_EQ(compared.exactBytes, exactBytes);
}

TEST_F(AddQuantized, SaysHowMuchIsLostAndWhereTheParentIsNearer) {
  const auto model = modelOf({tunedFirst_, tunedSecond_, first_});
  const AddReport fine = add(*model, lossy({.rules = {}, .stepScale = 0.1}));
  ASSERT_TRUE(fine.relativeError);
  EXPECT_LT(*fine.relativeError, 0.2);
  EXPECT_FALSE(fine.isFurtherThanParent());
  // Unbiased patterns of noise are long, and lead away.
  const AddReport coarse = add(*model, lossy({.rules = {}, .stepScale = 2}));
  ASSERT_TRUE(coarse.relativeError);
  EXPECT_GT(*coarse.relativeError, 1);
  EXPECT_TRUE(coarse.isFurtherThanParent());
  EXPECT_FALSE(add("exact", *model, "base").relativeError);
}

/// A difference to itself would be lost with the version that it is a difference to.
TEST_F(AddQuantized, OfWhatIsStoredIsTheSameVersion) {
  const auto model = modelOf({first_, second_, first_});
  const AddReport same = add(*model, lossy());
  EXPECT_EQ(same.outcome, Outcome::Shared);
  EXPECT_FALSE(same.version.parentDigest);
  EXPECT_EQ(same.version.manifestDigest, store().resolve("base")->manifestDigest);
  // Nor one that is a difference to a version that is one to it.
  add("child", *modelOf({tunedFirst_, second_, first_}), "base");
  AddOptions options = lossy({.rules = {{.codec = CodecId::Bounded, .maxError = 1e-30}}});
  options.name = "again";
  options.base = "child";
  EXPECT_EQ(add(*model, options).version.manifestDigest, same.version.manifestDigest);
}

TEST_F(AddQuantized, GivesTiedTensorsTheSameWords) {
  add(*modelOf({tunedFirst_, tunedSecond_, tunedFirst_}), lossy());
  const auto restored = restoredBytes(store(), "tuned");
  ASSERT_TRUE(restored) << restored.error().message;
  const std::size_t bytes = first_.size();
  EXPECT_EQ(restored->substr(6, bytes), restored->substr(6 + 2 * bytes, bytes));
}

/// The sum of squared differences of f32 words.
double squaredDistance(std::string_view a, std::string_view b) {
  double squares = 0;
  for (std::size_t at = 0; at < a.size(); at += sizeof(float)) {
    float left = 0;
    float right = 0;
    std::memcpy(&left, a.data() + at, sizeof left);
    std::memcpy(&right, b.data() + at, sizeof right);
    squares += (double{left} - right) * (double{left} - right);
  }
  return squares;
}

/// The L2 norm of a difference over that of what it is a difference to.
double relativeDistance(std::string_view a, std::string_view b, std::string_view to) {
  return std::sqrt(squaredDistance(a, b) / squaredDistance(to, std::string(to.size(), '\0')));
}

TEST_F(AddQuantized, MeasuresWeightsThatAreCodedAloneAgainstThoseOfTheirName) {
  const std::string pruned = test::randomFloats(kRows * kColumns, 9);
  const auto model = modelOf({tunedFirst_, pruned, pruned});
  const std::string base = first_ + second_ + first_;
  const std::string own = tunedFirst_ + pruned + pruned;
  const AddReport exact = add("exact", *model, "base");
  // They have a tensor of their name to be compared with, whatever they are coded against.
  ASSERT_EQ(exact.version.newTensors, 0);
  EXPECT_NEAR(exact.version.relativeChange, relativeDistance(own, base, base), 1e-3);
  for (const CodecId codec : {CodecId::Levels, CodecId::Bounded}) {
    AddOptions options = lossy({.rules = {{.codec = codec, .step = 0.3, .maxError = 1e-3}}});
    options.name = codec == CodecId::Levels ? "levels" : "bounded";
    const AddReport added = add(*model, options);
    EXPECT_TRUE(added.keptExact.empty());
    const auto restored = restoredBytes(store(), options.name);
    ASSERT_TRUE(restored) << restored.error().message;
    const std::string words = restored->substr(6, own.size());
    EXPECT_NEAR(added.version.relativeChange, relativeDistance(words, base, base), 1e-2);
    const double error = std::sqrt(squaredDistance(words, own) / squaredDistance(own, base));
    ASSERT_TRUE(added.relativeError);
    EXPECT_NEAR(*added.relativeError, error, 0.02 * error);
  }
}

/// A new head is no difference to the base: its norm must not hide what the others lost.
TEST_F(AddQuantized, CountsNewWeightsOnlyWhereNothingElseChanged) {
  const auto known = modelOf({tunedFirst_, tunedSecond_, first_});
  auto grown =
      modelOf({tunedFirst_, tunedSecond_, first_, test::randomFloats(kRows * kColumns, 9)});
  AddOptions options = lossy({.rules = {}, .stepScale = 0.1});
  const AddReport without = add(*known, options);
  const AddReport with = add(*grown, options);
  EXPECT_NEAR(*with.relativeError, *without.relativeError, 1e-6);
  EXPECT_NEAR(with.version.relativeChange, without.version.relativeChange, 1e-6);
  grown = modelOf({first_, second_, first_, test::randomFloats(kRows * kColumns, 9)});
  const AddReport alone = add(*grown, options);
  EXPECT_GT(*alone.relativeError, 0.005);
  EXPECT_LT(*alone.relativeError, 0.03);
}

TEST_F(AddQuantized, KeepsATensorWithTheNumberOfAMaskExact) {
  const std::size_t bytes = first_.size();
  add(*modelOf({tunedFirst_, tunedSecond_, tunedFirst_}), lossy());
  const auto usual = restoredBytes(store(), "tuned");
  ASSERT_TRUE(usual);
  for (const float value : {std::numeric_limits<float>::lowest(), 2e19F, -65504.0F}) {
    std::string masked = tunedSecond_;
    std::memcpy(masked.data() + 400, &value, sizeof value);
    const AddReport added = add(*modelOf({tunedFirst_, masked, tunedFirst_}), lossy());
    ASSERT_EQ(added.keptExact.size(), 1U);
    EXPECT_EQ(added.keptExact[0].substr(0, 3), "w1:");
    const auto restored = restoredBytes(store(), "tuned");
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_TRUE(restored->substr(6 + bytes, bytes) == masked);
    // The other tensors are no worse than without it, as its change sets no steps.
    const double before = squaredDistance(usual->substr(6, bytes), tunedFirst_);
    EXPECT_LT(squaredDistance(restored->substr(6, bytes), tunedFirst_), 1.5 * before) << value;
  }
}

TEST_F(AddQuantized, MakesNoVersionOfTheSameModelAndSettings) {
  const auto model = modelOf({tunedFirst_, tunedSecond_, first_});
  add(*model, lossy());
  const AddReport again = add(*model, lossy());
  EXPECT_EQ(again.outcome, Outcome::Unchanged);
  EXPECT_EQ(again.version.label(), "tuned:v1");
  const AddReport coarser = add(*model, lossy({.rules = {}, .stepScale = 2}));
  EXPECT_EQ(coarser.version.label(), "tuned:v2");
  EXPECT_EQ(coarser.parentLabel, "base:v1");
}

TEST_F(AddQuantized, KeepsTensorsWithoutNumbersExact) {
  std::string words = tunedFirst_;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(words.data() + 40, &nan, sizeof nan);
  const AddReport added = add(*modelOf({words, tunedSecond_, first_}), lossy());
  ASSERT_EQ(added.keptExact.size(), 1U);
  EXPECT_EQ(added.keptExact[0].substr(0, 3), "w0:");
  const auto restored = restoredBytes(store(), "tuned");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->substr(6, words.size()), words);
}

TEST_F(AddQuantized, FollowsTheRulesOfTheSettings) {
  const QuantizeSettings settings{.rules = {{.match = "w1", .codec = CodecId::Integer}}};
  add(*modelOf({tunedFirst_, tunedSecond_, first_}), lossy(settings));
  const auto restored = restoredBytes(store(), "tuned");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->substr(6 + first_.size(), second_.size()), tunedSecond_);
  EXPECT_NE(restored->substr(6, first_.size()), tunedFirst_);
}

TEST_F(AddQuantized, PrunesBySensitivityWithGradients) {
  const QuantizeSettings settings{
      .rules = {
          {.codec = CodecId::Index, .levelCount = 8U, .pruneShare = 0.5, .bySensitivity = true}}};
  const auto model = modelOf({tunedFirst_, tunedSecond_, tunedFirst_});
  const AddReport blind = add(*model, lossy(settings));
  EXPECT_EQ(blind.keptExact.size(), 2U);
  // The first row means nothing to the loss, however large its words.
  std::vector<float> squares(kRows * kColumns, 1.0F);
  std::fill_n(squares.begin(), kColumns, 1e-12F);
  const std::string bytes(reinterpret_cast<const char*>(squares.data()), first_.size());
  const auto gradients = modelOf({bytes, bytes, bytes});
  AddOptions options = lossy(settings);
  options.gradients = gradients.get();
  const AddReport added = add(*model, options);
  EXPECT_TRUE(added.keptExact.empty());
  const auto restored = restoredBytes(store(), "tuned");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->substr(6, kColumns * sizeof(float)),
            std::string(kColumns * sizeof(float), 0));
}

TEST_F(AddQuantized, WritesTheCandidateThatItWouldStore) {
  const auto model = modelOf({tunedFirst_, tunedSecond_, tunedFirst_});
  const AddReport added = add(*model, lossy());
  const auto parent = openVersion(
      store(), import("base", *modelOf({first_, second_, first_})).version.contentDigest);
  ASSERT_TRUE(parent) << parent.error().message;
  const auto quantizer = Quantizer::open(*model, *parent, nullptr, 512'000'000);
  ASSERT_TRUE(quantizer) << quantizer.error().message;
  const test::TempFolder folder;
  const std::filesystem::path here = folder / "candidate";
  std::filesystem::create_directory(here);
  const auto candidate = (*quantizer)->make({}, here, {});
  ASSERT_TRUE(candidate) << candidate.error().message;
  EXPECT_EQ(test::readWhole(here / "model.safetensors"), *restoredBytes(store(), "tuned"));
  const auto original = hashModel(*model);
  ASSERT_TRUE(original) << original.error().message;
  const auto bytes = candidate->storedBytes({.profile = "exact", .original = *original});
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, added.version.storedBytes);
}

}  // namespace
}  // namespace strata
