#include "core/search/search_knobs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/search/kind_knobs.h"
#include "core/search/settings_text.h"

namespace strata {
namespace {

class SearchKnobs : public testing::Test {
 protected:
  SearchKnobs() {
    const std::vector<TensorKind> kinds{TensorKind::Linear, TensorKind::Embedding,
                                        TensorKind::Norm};
    options_.kinds = {{kinds[0], 0.6}, {kinds[1], 0.395}, {kinds[2], 0.005}};
    start_ = withKindRules(QuantizeSettings{{{.rank = 8U}}}, kinds);
    knobs_ = knobsOf(start_, options_, true).knobs;
  }

  std::size_t place(const std::string& what) const {
    const auto found = std::find_if(knobs_.begin(), knobs_.end(),
                                    [&](const Knob& knob) { return knob.what == what; });
    EXPECT_NE(found, knobs_.end()) << what;
    return static_cast<std::size_t>(found - knobs_.begin());
  }

  QuantizeSettings with(const std::string& what, int notches) const {
    std::vector<int> all(knobs_.size(), 0);
    all[place(what)] = notches;
    return turned(start_, knobs_, all);
  }

  SearchOptions options_;
  QuantizeSettings start_;
  std::vector<Knob> knobs_;
};

TEST_F(SearchKnobs, ChangeNothingWhereTheyStart) {
  const std::vector<int> none(knobs_.size(), 0);
  EXPECT_EQ(settingsText(turned(start_, knobs_, none)), settingsText(start_));
  EXPECT_EQ(turnText(knobs_, none), "as given");
}

TEST_F(SearchKnobs, EachChangesSomethingInEveryNotch) {
  for (const Knob& knob : knobs_) {
    std::vector<std::string> texts{settingsText(start_)};
    for (const int notches : {knob.least, knob.most}) {
      if (notches != 0) texts.push_back(settingsText(with(knob.what, notches)));
    }
    ASSERT_GE(texts.size(), 2U) << knob.what;
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end()) << knob.what;
  }
}

TEST_F(SearchKnobs, ReachEveryRank) {
  const Knob& knob = knobs_[place("rank of the matrices")];
  std::vector<unsigned> ranks;
  for (int notches = knob.least; notches <= knob.most; ++notches) {
    const QuantizeSettings settings = with(knob.what, notches);
    ranks.push_back(*kindValue(settings, TensorKind::Linear, &QuantizeRule::rank));
    EXPECT_EQ(kindValue(settings, TensorKind::Embedding, &QuantizeRule::rank), 8U);
  }
  EXPECT_EQ(ranks, (std::vector<unsigned>{0, 2, 4, 8, 16, 32, 64}));
}

TEST_F(SearchKnobs, WithoutLowRankNoFactorHasAStep) {
  std::vector<int> notches(knobs_.size(), 0);
  notches[place("matrices without low rank")] = 1;
  const std::string off = settingsText(turned(start_, knobs_, notches));
  notches[place("factor step")] = 2;
  notches[place("rank of the matrices")] = 1;
  EXPECT_EQ(settingsText(turned(start_, knobs_, notches)), off);
}

/// From low ranks the ladder itself leads there, in the first trials.
TEST_F(SearchKnobs, TryToDoWithoutLowRankByOneKnobAlone) {
  EXPECT_EQ(knobs_[place("rank of the matrices")].probe, 1);
  for (const unsigned rank : {2U, 4U}) {
    const auto knobs = knobsOf(withKindRules(QuantizeSettings{{{.rank = rank}}},
                                             std::vector<TensorKind>{TensorKind::Linear}),
                               options_, true)
                           .knobs;
    for (const Knob& knob : knobs) {
      EXPECT_NE(knob.what, "matrices without low rank");
      if (knob.what == "rank of the matrices") {
        EXPECT_EQ(knob.probe, knob.least);
      }
    }
  }
}

TEST_F(SearchKnobs, ActOnTheGroupsThatTheyTurn) {
  const KnobSpace space = knobsOf(start_, options_, true);
  ASSERT_EQ(space.groups.size(), 3U);
  const auto groupsOf = [&](const std::string& what) {
    std::vector<std::string> names;
    for (const std::size_t g : space.knobs[place(what)].groups)
      names.push_back(space.groups[g].what);
    return names;
  };
  EXPECT_EQ(groupsOf("rank of the matrices"), std::vector<std::string>{"linear"});
  EXPECT_EQ(groupsOf("gain"), (std::vector<std::string>{"linear", "embedding"}));
  EXPECT_EQ(groupsOf("sensitivity of rows").size(), 3U);
  for (const Knob& knob : space.knobs) {
    if (knob.stepNotch == 0) continue;
    EXPECT_EQ(knob.groups.size(), 1U) << knob.what;
  }
}

TEST_F(SearchKnobs, AskForNothingThatIsTheSame) {
  // Without gradients and convolutions auto is none.
  for (const Knob& knob : knobs_) EXPECT_NE(knob.what, "sensitivity of none");
  options_.kinds.push_back({TensorKind::Convolution, 0.1});
  start_ = withKindRules(start_, std::vector<TensorKind>{TensorKind::Convolution});
  knobs_ = knobsOf(start_, options_, true).knobs;
  EXPECT_EQ(with("sensitivity of none", 1).sensitivity, Sensitivity::None);
}

TEST_F(SearchKnobs, SayWhatWasTurned) {
  std::vector<int> notches(knobs_.size(), 0);
  notches[place("gain")] = -2;
  notches[place("matrices without low rank")] = 1;
  EXPECT_EQ(turnText(knobs_, notches), "matrices without low rank, gain -2");
}

}  // namespace
}  // namespace strata
