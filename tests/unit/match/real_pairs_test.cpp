#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "core/digest.h"
#include "core/match/matcher.h"
#include "core/match/signature.h"
#include "onnx_io/model_reader.h"
#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Pair {
  const char* variant;
  const char* parent;
  double bitsPerWord;  ///< of the variant, at most, over all words with a parent
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.variant << " against " << pair.parent;
}

/// Fine-tunes that exist on some machines only: STRATA_MODELS names their folder.
class RealPairs : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("STRATA_MODELS");
    if (folder == nullptr) GTEST_SKIP() << "STRATA_MODELS is not set";
    folder_ = folder;
    for (const char* file : {GetParam().variant, GetParam().parent}) {
      if (!fs::exists(folder_ / file)) GTEST_SKIP() << (folder_ / file) << " does not exist";
    }
  }

  std::unique_ptr<ModelSource> open(const char* file) const {
    auto source = openModel(folder_ / file);
    if (source) return *std::move(source);
    ADD_FAILURE() << source.error().message;
    return nullptr;
  }

 private:
  fs::path folder_;
};

struct Coverage {
  double words = 0;
  double matched = 0;
  double bits = 0;
};

Coverage coverageOf(const ModelDescription& variant, std::span<const TensorMatch> matches) {
  Coverage coverage;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    for (const PartMatch& part : matches[i].parts) {
      const auto words = static_cast<double>(part.rowCount * part.columnCount);
      coverage.words += words;
      if (!part.parent) {
        std::cout << "  alone: " << variant.tensors[i].name << ", " << words << " words\n";
        continue;
      }
      coverage.matched += words;
      coverage.bits += words * part.bitsPerWord;
    }
  }
  return coverage;
}

TEST_P(RealPairs, ShareNearlyAllWeights) {
  const auto variant = open(GetParam().variant);
  const auto base = open(GetParam().parent);
  ASSERT_TRUE(variant && base);
  std::vector<std::uint64_t> checksums;
  const ModelDescription& model = variant->description();
  for (const TensorInfo& tensor : model.tensors) {
    checksums.push_back(xxh3(bytesOf(model, tensor)));
  }
  const DescribedParent parent(base->description());
  const auto start = std::chrono::steady_clock::now();
  const auto matches = matchOrFail(model, parent, {.variantChecksums = checksums});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const Coverage coverage = coverageOf(model, matches);
  std::cout << "  " << coverage.matched / coverage.words * 100 << " % of the words at "
            << coverage.bits / coverage.matched << " bits, " << parent.readCount()
            << " blocks read, " << took.count() << " ms\n";
  EXPECT_GT(coverage.matched, 0.99 * coverage.words);
  EXPECT_LT(coverage.bits / coverage.matched, GetParam().bitsPerWord);
}

TEST_P(RealPairs, RankTheirBaseFirst) {
  const auto variant = open(GetParam().variant);
  const auto base = open(GetParam().parent);
  ASSERT_TRUE(variant && base);
  const std::string own = makeSignature(variant->description());
  const std::string other = makeSignature(SyntheticModel({}).description());
  const std::string right = makeSignature(base->description());
  const SignatureRanker ranker = SignatureRanker::make(own).value();
  const auto rank = ranker.rank(right);
  ASSERT_TRUE(rank);
  std::cout << "  matched " << rank->matchedShare << ", stored " << rank->estimatedShare << "\n";
  EXPECT_LT(rank->estimatedShare, ranker.rank(other)->estimatedShare);
  EXPECT_GT(rank->matchedShare, 0.75);
}

constexpr Pair kPairs[] = {
    {"minilm-sst2.onnx", "minilm-base.onnx", 20},
    {"minilm-sst2.onnx", "minilm-base.safetensors", 20},
    {"minilm-sst2.safetensors", "minilm-base.safetensors", 20},
    {"minilm-sst2.safetensors", "minilm-base.onnx", 20},
    {"minilm-sst2-bf16.safetensors", "minilm-base.safetensors", 6},
    {"minilm-sst2-bf16.safetensors", "minilm-base.onnx", 6},
    {"minilm-sst2-f16.safetensors", "minilm-base.safetensors", 8},
    {"minilm-sst2.onnx", "minilm-sst2-bf16.safetensors", 20},
    {"resnet56-gray.onnx", "resnet56-base.onnx", 26},
};
INSTANTIATE_TEST_SUITE_P(All, RealPairs, testing::ValuesIn(kPairs));

}  // namespace
}  // namespace strata
