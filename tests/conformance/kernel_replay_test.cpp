// Steps of optimizers: every set of kernels gives the bits of the plain loops.

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "kernels/replay_kernels.h"
#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

using kernels::DenominatorForm;
using kernels::GradientForm;
using kernels::SquareForm;
using kernels::UpdateForm;

constexpr std::size_t kCount = 4099;

/// Numbers of a training run, and some words of any kind: subnormals, infinities, NaNs.
std::vector<float> numbers(unsigned seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::uniform_int_distribution<std::uint32_t> any;
  std::vector<float> values(kCount);
  for (float& v : values) {
    v = random() % 4 == 0 ? std::bit_cast<float>(any(random)) : normal(random);
  }
  return values;
}

std::vector<std::uint32_t> wordsOf(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float v : values) words.push_back(std::bit_cast<std::uint32_t>(v));
  return words;
}

class EveryReplayKernel : public EveryKernelSet {
 protected:
  std::vector<float> m0 = numbers(1, 1e-3F);
  std::vector<float> m1 = numbers(2, 1e-3F);
  std::vector<float> v = numbers(3, 1e-6F);
  std::vector<float> w = numbers(4, 4e-2F);
  const kernels::ReplayKernels& expectedSet = kernels::replayKernels(plain());
  const kernels::ReplayKernels& own = kernels::replayKernels(set());
};

TEST_P(EveryReplayKernel, TellsSecondMomentsAsThePlainLoopsDo) {
  for (const auto gradient : {GradientForm::Axpy, GradientForm::Lerp, GradientForm::Double}) {
    for (const auto form : {SquareForm::Fused, SquareForm::Rounded, SquareForm::Double}) {
      const kernels::SquareTerms terms{gradient, form, 0.9, 1 / 0.1, 0.999, 1 - 0.999};
      for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{13}, kCount}) {
        std::vector<float> expected(count);
        std::vector<float> found(count);
        expectedSet.secondMoment(terms, m0.data(), m1.data(), v.data(), count, expected.data());
        own.secondMoment(terms, m0.data(), m1.data(), v.data(), count, found.data());
        EXPECT_EQ(wordsOf(found), wordsOf(expected)) << count;
      }
    }
  }
}

TEST_P(EveryReplayKernel, MovesWeightsAsThePlainLoopsDo) {
  for (const auto form : {UpdateForm::Scaled, UpdateForm::Quotient, UpdateForm::FusedQuotient,
                          UpdateForm::Momentum, UpdateForm::FusedMomentum, UpdateForm::Drift}) {
    for (const auto denominator : {DenominatorForm::Divided, DenominatorForm::Multiplied}) {
      for (const bool decaysInDouble : {false, true}) {
        const kernels::UpdateTerms terms{denominator, form,  decaysInDouble, 5e-7,
                                         0.198F,      1e-8F, -3e-4F,         -1e-4F};
        const kernels::UpdateSources from{w.data(), m1.data(), v.data(), m0.data()};
        std::vector<float> expected(kCount);
        std::vector<float> found(kCount);
        expectedSet.weights(terms, from, kCount, expected.data());
        own.weights(terms, from, kCount, found.data());
        EXPECT_EQ(wordsOf(found), wordsOf(expected)) << static_cast<int>(form);
      }
    }
  }
}

TEST_P(EveryReplayKernel, MovesWeightsOfOneGradientAsThePlainLoopsDo) {
  const kernels::UpdateSources from{w.data(), m1.data(), v.data(), m0.data()};
  for (const auto gradient : {GradientForm::Axpy, GradientForm::Lerp, GradientForm::Double}) {
    for (const auto denominator : {DenominatorForm::Divided, DenominatorForm::Multiplied}) {
      for (const bool decaysInDouble : {false, true}) {
        const kernels::UpdateTerms terms{
            denominator, UpdateForm::Drift, decaysInDouble, 5e-7, 0.198F, 1e-8F, -3e-4F, -1e-4F};
        const kernels::SquareTerms squares{gradient, SquareForm::Fused, 0.15, 1 / 0.85, 0.982, 0.1};
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{13}, kCount}) {
          std::vector<float> expected(count);
          std::vector<float> found(count);
          expectedSet.weightsOfOne(terms, squares, from, count, expected.data());
          own.weightsOfOne(terms, squares, from, count, found.data());
          EXPECT_EQ(wordsOf(found), wordsOf(expected)) << count;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryReplayKernel, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
