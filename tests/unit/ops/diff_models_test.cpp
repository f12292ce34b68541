#include "core/ops/inspect/diff_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/codec/words/cast.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;
using Weight = MemoryModel::Weight;

std::string transposed(const std::string& words, std::size_t rows, std::size_t columns) {
  std::string out(words.size(), '\0');
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::memcpy(&out[4 * (c * rows + r)], &words[4 * (r * columns + c)], 4);
    }
  }
  return out;
}

std::string rowsOf(const std::string& words, std::size_t columns, std::size_t first,
                   std::size_t count) {
  return words.substr(4 * first * columns, 4 * count * columns);
}

std::string asBf16(const std::string& words) {
  std::string out(words.size() / 2, '\0');
  castWords(ElementType::F32, std::as_bytes(std::span(words)), ElementType::BF16,
            std::as_writable_bytes(std::span(out)));
  return out;
}

std::unique_ptr<MemoryModel> modelOf(const std::vector<Weight>& weights) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights);
  return model;
}

/// A base, and a fine-tune of it that another exporter wrote.
class DiffModels : public test::StoreFixture {
 protected:
  DiffModels()
      : base_(modelOf({{"embed", ElementType::F32, {100, 64}, embed_},
                       {"gone", ElementType::F32, {50, 70}, test::randomFloats(3500, 9)},
                       {"half", ElementType::F32, {40, 64}, half_},
                       {"ones", ElementType::F32, {80, 64}, first_},
                       {"qkv", ElementType::F32, {192, 64}, qkv_},
                       {"twos", ElementType::F32, {80, 64}, second_},
                       {"up", ElementType::F32, {96, 64}, up_}})),
        variant_(modelOf({{"embed", ElementType::F32, {110, 64}, grown()},
                          {"half", ElementType::BF16, {40, 64}, asBf16(half_)},
                          {"k", ElementType::F32, {64, 64}, rowsOf(tuned(qkv_), 64, 64, 64)},
                          {"new", ElementType::F32, {30, 90}, test::randomFloats(2700, 8)},
                          {"ones", ElementType::F32, {80, 64}, tuned(second_)},
                          {"q", ElementType::F32, {64, 64}, rowsOf(tuned(qkv_), 64, 0, 64)},
                          {"twos", ElementType::F32, {80, 64}, tuned(first_)},
                          {"up_t", ElementType::F32, {64, 96}, transposed(tuned(up_), 96, 64)},
                          {"v", ElementType::F32, {64, 64}, rowsOf(tuned(qkv_), 64, 128, 64)}})) {}

  static std::string tuned(const std::string& words) { return test::tunedFloats(words, 0.5, 77); }
  std::string grown() const { return tuned(embed_) + test::randomFloats(640, 6); }

  static const TensorDiff& tensor(const DiffReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.tensors, name, &TensorDiff::name);
    EXPECT_NE(found, report.tensors.end()) << name << " is not listed";
    static const TensorDiff none;
    return found == report.tensors.end() ? none : *found;
  }

  static void expectPaired(const DiffReport& report) {
    EXPECT_EQ(wordSources(tensor(report, "up_t")), "up, transposed");
    EXPECT_EQ(wordSources(tensor(report, "q")), "rows 0..63 of qkv");
    EXPECT_EQ(wordSources(tensor(report, "k")), "rows 64..127 of qkv");
    EXPECT_EQ(wordSources(tensor(report, "v")), "rows 128..191 of qkv");
    EXPECT_EQ(wordSources(tensor(report, "embed")), "rows 0..99: embed; the rest is new");
    EXPECT_EQ(tensor(report, "embed").newWords, 640U);
    EXPECT_EQ(wordSources(tensor(report, "ones")), "twos");
    EXPECT_EQ(wordSources(tensor(report, "twos")), "ones");
    EXPECT_EQ(wordSources(tensor(report, "half")), "within the rounding to bf16");
    EXPECT_EQ(tensor(report, "half").typeA, "f32");
    EXPECT_GT(tensor(report, "half").changedShare(), 0.95);
    EXPECT_TRUE(tensor(report, "half").isRoundedAlone());
    for (const char* name : {"up_t", "q", "k", "v", "ones", "twos"}) {
      EXPECT_NEAR(tensor(report, name).changedShare(), 0.5, 0.05) << name;
      EXPECT_LT(tensor(report, name).relativeChange, 0.2) << name;
      EXPECT_FALSE(tensor(report, name).pairedByName) << name;
    }
    EXPECT_EQ(report.onlyInA, std::vector<std::string>{"gone"});
    EXPECT_EQ(report.onlyInB, std::vector<std::string>{"new"});
    EXPECT_EQ(report.pairedByContent, 8U);
    EXPECT_EQ(report.changedTensors, 8U);
    EXPECT_EQ(report.equalTensors, 0U);
  }

  const std::string embed_ = test::randomFloats(6400, 1);
  const std::string qkv_ = test::randomFloats(12288, 2);
  const std::string up_ = test::randomFloats(6144, 3);
  const std::string first_ = test::randomFloats(5120, 4);
  const std::string second_ = test::randomFloats(5120, 5);
  const std::string half_ = test::randomFloats(2560, 7);
  const std::unique_ptr<MemoryModel> base_, variant_;
};

TEST_F(DiffModels, ComparesDoublesByTheirValue) {
  std::string doubles(2 * half_.size(), '\0');
  for (std::size_t i = 0; i < half_.size() / 4; ++i) {
    float value = 0;
    std::memcpy(&value, half_.data() + 4 * i, 4);
    const double wide = value;
    std::memcpy(doubles.data() + 8 * i, &wide, 8);
  }
  const auto single = modelOf({{"half", ElementType::F32, {40, 64}, half_}});
  const auto twice = modelOf({{"half", ElementType::F64, {40, 64}, doubles}});
  for (const bool isBack : {false, true}) {
    const auto report = diffModels({.model = isBack ? twice.get() : single.get()},
                                   {.model = isBack ? single.get() : twice.get()}, {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->change.changedWords, 0U);
    EXPECT_EQ(report->change.distance.value_or(-1), 0);
    EXPECT_FALSE(report->identical);
  }
}

TEST_F(DiffModels, PairsWeightsByContentWhereverTheyLie) {
  import("base", *base_);
  add("variant", *variant_, "base");
  const DiffSide storedA{.store = &store(), .reference = "base", .model = nullptr, .label = {}};
  const DiffSide storedB{.store = &store(), .reference = "variant", .model = nullptr, .label = {}};
  const DiffSide fileA{.store = nullptr, .reference = {}, .model = base_.get(), .label = "a"};
  const DiffSide fileB{.store = nullptr, .reference = {}, .model = variant_.get(), .label = "b"};
  for (const DiffSide& a : {storedA, fileA}) {
    for (const DiffSide& b : {storedB, fileB}) {
      const auto report = diffModels(a, b, {}, {}, {});
      ASSERT_TRUE(report) << report.error().message;
      expectPaired(*report);
    }
  }
}

TEST_F(DiffModels, JoinsWhatWasSplit) {
  const auto report = diffModels({.model = variant_.get(), .label = "a"},
                                 {.model = base_.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(wordSources(tensor(*report, "qkv")),
            "rows 0..63: q; rows 64..127: k; rows 128..191: v");
  EXPECT_EQ(wordSources(tensor(*report, "up")), "up_t, transposed");
  EXPECT_EQ(wordSources(tensor(*report, "embed")), "rows 0..99 of embed");
  EXPECT_EQ(tensor(*report, "embed").newWords, 0U);
}

TEST_F(DiffModels, ListsOnlyTheTensorsAskedFor) {
  const auto report =
      diffModels({.model = base_.get(), .label = "a"}, {.model = variant_.get(), .label = "b"},
                 {.globs = {"qkv", "gone"}}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tensors.size(), 3U);
  EXPECT_EQ(report->onlyInA, std::vector<std::string>{"gone"});
  EXPECT_TRUE(report->onlyInB.empty());
}

TEST_F(DiffModels, NamesAPatternThatNoTensorMatches) {
  const auto report =
      diffModels({.model = base_.get(), .label = "a"}, {.model = variant_.get(), .label = "b"},
                 {.globs = {"qkv", "gome*"}}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(report.error().message, "a and b: none of their tensors matches gome*");
}

TEST_F(DiffModels, KeepsAPairByNameThatWasTrainedAnew) {
  const auto a = modelOf({{"head", ElementType::F32, {20, 64}, test::randomFloats(1280, 1)}});
  const auto b = modelOf({{"head", ElementType::F32, {20, 64}, test::randomFloats(1280, 2)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->tensors.size(), 1U);
  EXPECT_TRUE(report->tensors[0].pairedByName);
  EXPECT_EQ(report->tensors[0].changedWords, 1280U);
}

TEST_F(DiffModels, SaysThatOneNameMeansAnotherShape) {
  const auto a = modelOf({{"head", ElementType::F32, {20, 64}, test::randomFloats(1280, 1)}});
  const auto b = modelOf({{"head", ElementType::F32, {30, 50}, test::randomFloats(1500, 2)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->tensors.size(), 1U);
  EXPECT_FALSE(report->tensors[0].comparable);
  EXPECT_EQ(report->change.changedShare(), 1);
  EXPECT_FALSE(report->change.distance);
  EXPECT_EQ(wordChange(report->change),
            "unknown: no tensor has one shape in A and in B; 100 % of weights differ");
  EXPECT_TRUE(report->onlyInA.empty() && report->onlyInB.empty());
}

/// Zeros say too little to be found by content.
TEST_F(DiffModels, ComparesPlainWordsOfAnotherTypeByName) {
  const std::string zeros(64 * 4, '\0');
  std::string one = zeros;
  one[3] = 0x3f;
  const auto a =
      modelOf({{"bias", ElementType::F32, {64}, zeros}, {"other", ElementType::F32, {64}, one}});
  const auto b = modelOf({{"bias", ElementType::BF16, {64}, zeros.substr(0, 128)},
                          {"other", ElementType::BF16, {64}, zeros.substr(0, 128)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->equalTensors, 1U);
  ASSERT_EQ(report->tensors.size(), 2U);
  EXPECT_EQ(tensor(*report, "other").changedWords, 1U);
  EXPECT_TRUE(tensor(*report, "other").pairedByName);
}

TEST_F(DiffModels, CountsEqualTensorsForTheWholeChange) {
  const std::string words = test::randomFloats(1280, 1);
  const auto a = modelOf(
      {{"head", ElementType::F32, {20, 64}, words}, {"rest", ElementType::F32, {20, 64}, words}});
  const auto b = modelOf({{"head", ElementType::F32, {20, 64}, tuned(words)},
                          {"rest", ElementType::F32, {20, 64}, words}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->equalTensors, 1U);
  EXPECT_NEAR(report->change.distance.value(),
              tensor(*report, "head").relativeChange / std::sqrt(2), 1e-9);
}

/// A rounding is a change whichever side is the narrower one, and of one size.
TEST_F(DiffModels, MeasuresARoundingInBothDirections) {
  const std::string words = test::randomFloats(12800, 1);
  const auto wide = modelOf({{"head", ElementType::F32, {200, 64}, words}});
  const auto narrow = modelOf({{"head", ElementType::BF16, {200, 64}, asBf16(words)}});
  for (const bool isNarrowing : {true, false}) {
    const auto& a = isNarrowing ? wide : narrow;
    const auto& b = isNarrowing ? narrow : wide;
    const auto report =
        diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    const ModelChange& change = report->change;
    EXPECT_GT(change.changedShare(), 0.95);
    EXPECT_EQ(change.roundedWords, change.changedWords);
    EXPECT_EQ(change.roundedTo, std::vector<std::string>{"bf16"});
    // Rounding to 8 bits errs by 2^-9 at most, evenly spread.
    EXPECT_NEAR(change.distance.value(), 0.0016, 0.0005);
    EXPECT_NE(wordChange(change).find(" of weights differ, all within the rounding to bf16"),
              std::string::npos)
        << wordChange(change);
  }
}

TEST(WordChange, SaysWhatHasNoSize) {
  ModelChange change{.wordCount = 100, .changedWords = 2, .distance = 0};
  EXPECT_EQ(wordChange(change),
            "no size, 2.0 % of weights differ, by NaN, infinity, the sign of zero, fill values, "
            "integers and packed types alone");
  change.integerCount = 8;
  change.changedIntegers = 2;
  change.distance = 0.5;
  EXPECT_EQ(wordChange(change),
            "0.500 relative L2, 2.0 % of weights differ (25 % of the integers)");
  change = {
      .wordCount = 100, .changedWords = 2, .distance = std::numeric_limits<double>::infinity()};
  EXPECT_EQ(wordChange(change), "infinite: the weights of A are zero; 2.0 % of weights differ");
  change = {.wordCount = 100, .distance = 0};
  EXPECT_EQ(wordChange(change), "0 relative L2, 0 % of weights differ");
}

TEST(WordChange, SaysWhatAHasNothingFor) {
  ModelChange change{.wordCount = 100, .changedWords = 2, .newWords = 2, .distance = 0};
  EXPECT_EQ(wordChange(change), "no size, 2.0 % of weights differ, all without a counterpart in A");
  change.changedWords = 4;
  EXPECT_EQ(wordChange(change),
            "no size, 4.0 % of weights differ, 50 % of them without a counterpart in A, by NaN, "
            "infinity, the sign of zero, fill values, integers and packed types alone");
}

TEST_F(DiffModels, SaysThatANewHeadHasNoCounterpart) {
  const std::string words = test::randomFloats(12800, 1);
  const auto a = modelOf({{"body", ElementType::F32, {200, 64}, words},
                          {"head", ElementType::F32, {2, 50}, test::randomFloats(100, 2)}});
  const auto b = modelOf({{"body", ElementType::F32, {200, 64}, words},
                          {"head", ElementType::F32, {3, 70}, test::randomFloats(210, 3)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->change.newWords, 210U);
  EXPECT_NE(wordChange(report->change).find("differ, all without a counterpart in A"),
            std::string::npos)
      << wordChange(report->change);
}

TEST_F(DiffModels, TellsTrainingFromRounding) {
  const std::string words = test::randomFloats(12800, 1);
  const auto a = modelOf({{"head", ElementType::F32, {200, 64}, words}});
  const auto b = modelOf({{"head", ElementType::BF16, {200, 64}, asBf16(tuned(words))}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->change.roundedShare(), 0.3);
  EXPECT_LT(report->change.roundedShare(), 0.9);
  EXPECT_NE(wordChange(report->change).find(" % of them within the rounding to bf16"),
            std::string::npos);
}

TEST_F(DiffModels, SaysThatNothingIsShared) {
  const auto a = modelOf({{"head", ElementType::F32, {20, 64}, test::randomFloats(1280, 1)}});
  const auto b = modelOf({{"tail", ElementType::F32, {30, 50}, test::randomFloats(1500, 2)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->change.isAny());
  EXPECT_FALSE(report->change.distance);
  EXPECT_EQ(wordChange(report->change), "unknown: A and B have no tensor in common");
}

std::string louder(std::string words, float factor) {
  for (std::size_t at = 0; at < words.size(); at += sizeof factor) {
    float value = 0;
    std::memcpy(&value, &words[at], sizeof value);
    value *= factor;
    std::memcpy(&words[at], &value, sizeof value);
  }
  return words;
}

/// By norms, not by bytes, and with a rounding counted: what was added and what is compared later.
TEST_F(DiffModels, FindsTheChangeThatListsShow) {
  const std::string loud = louder(test::randomFloats(6400, 1), 50);
  const std::string quiet = test::randomFloats(6400, 2);
  const auto base = modelOf(
      {{"loud", ElementType::F32, {100, 64}, loud}, {"quiet", ElementType::F32, {100, 64}, quiet}});
  const auto variant = modelOf({{"loud", ElementType::F32, {100, 64}, loud},
                                {"quiet", ElementType::F32, {100, 64}, tuned(quiet)}});
  const auto half = modelOf({{"loud", ElementType::BF16, {100, 64}, asBf16(loud)},
                             {"quiet", ElementType::BF16, {100, 64}, asBf16(quiet)}});
  import("base", *base);
  add("variant", *variant, "base");
  add("half", *half, "base");
  for (const std::string name : {"variant", "half"}) {
    const auto version = store().resolve(name);
    ASSERT_TRUE(version);
    const auto report = diffToBase(store(), name, {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    const double change = report->change.distance.value();
    EXPECT_GT(change, 1e-5) << name;
    EXPECT_NEAR(version->relativeChange, change, 1e-3 * change) << name;
  }
}

TEST_F(DiffModels, FollowsTiedWeights) {
  const std::string words = test::randomFloats(6400, 1);
  const auto a = modelOf({{"embed", ElementType::F32, {100, 64}, words}});
  const auto b =
      modelOf({{"lm_head", ElementType::F32, {64, 100}, transposed(tuned(words), 100, 64)},
               {"wte", ElementType::F32, {100, 64}, tuned(words)}});
  const auto report =
      diffModels({.model = a.get(), .label = "a"}, {.model = b.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(wordSources(tensor(*report, "lm_head")), "embed, transposed");
  EXPECT_EQ(wordSources(tensor(*report, "wte")), "embed");
  EXPECT_EQ(tensor(*report, "wte").changedWords, tensor(*report, "lm_head").changedWords);
}

}  // namespace
}  // namespace strata
