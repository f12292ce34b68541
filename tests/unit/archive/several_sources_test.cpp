#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/write/part_plan.h"
#include "core/archive/write/steps/former_steps.h"
#include "tests/support/forged_manifest.h"
#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

const std::vector<TrainingRun::Layer> kLayers{
    {"body.weight", {300, 400}}, {"body.bias", {300}}, {"head.weight", {10, 300}}};

ManifestTensor tensorOf(const Manifest& manifest, const std::string& name) {
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (tensor.name == name) return tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return manifest.tensors.front();
}

std::size_t sourcesOf(const WriteReport& report, const std::string& tensor) {
  return tensorOf(report.manifest, tensor).parts.front().sourceCount();
}

/// A run of which each step is stored upon the one before.
class StoredRun : public testing::Test {
 protected:
  void store() {
    models_.push_back(run_.snapshot());
    WriteOptions options;
    options.effort = effort_;
    if (!readers_.empty()) options.stepGroups = run_.groups();
    reports_.push_back(store_.add(*models_.back(), parent(), options));
    readers_.push_back(store_.reader(reports_.back(), parent()));
    ASSERT_NE(readers_.back(), nullptr);
  }
  void storeSteps(int count) {
    for (int i = 0; i < count; ++i) {
      if (i != 0) run_.step();
      store();
    }
  }
  Reader parent() const { return readers_.empty() ? nullptr : readers_.back(); }

  TrainingRun run_{kLayers};
  Effort effort_ = Effort::Default;
  VersionStore store_;
  std::vector<std::unique_ptr<MemoryModel>> models_;
  std::vector<WriteReport> reports_;
  std::vector<Reader> readers_;
};

TEST_F(StoredRun, TakesLittleMoreThanItsFirstMoments) {
  storeSteps(2);
  expectRestores(*readers_[1], *models_[1]);
  const WriteReport& second = reports_[1];
  EXPECT_EQ(second.manifest.formatVersion, kManySourcesManifestVersion);
  for (const TrainingRun::Layer& layer : kLayers) {
    EXPECT_EQ(sourcesOf(second, layer.name), 3U) << layer.name;
    EXPECT_EQ(sourcesOf(second, layer.name + ".exp_avg_sq"), 3U) << layer.name;
    EXPECT_LE(sourcesOf(second, layer.name + ".exp_avg"), 1U) << layer.name;
  }
  std::uint64_t moments = 0;
  std::uint64_t rest = 0;
  for (const ManifestTensor& tensor : second.manifest.tensors) {
    (tensor.name.ends_with(".exp_avg") ? moments : rest) += storedBytes(tensor);
  }
  // A thousandth of the second moments is off by one, a five thousandth of the weights.
  EXPECT_LT(rest, run_.stateBytes() / 50);
  EXPECT_GT(moments, run_.stateBytes() / 3);
}

TEST_F(StoredRun, IsReadThroughAllItsSteps) {
  storeSteps(5);
  for (std::size_t i = 0; i < models_.size(); ++i) expectRestores(*readers_[i], *models_[i]);
}

TEST_F(StoredRun, IsReadByManyThreadsAtOnce) {
  storeSteps(4);
  const Files expected = filesOf(*models_.back());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 12; ++i) {
        const std::size_t file = random() % 2;
        const std::string& bytes =
            file == 0 ? expected.at("model.safetensors") : expected.at("optimizer.pt");
        const std::uint64_t at = random() % bytes.size();
        std::string out(std::min<std::uint64_t>(random() % 300'000, bytes.size() - at), '\0');
        const auto done = readers_.back()->read(file, at, std::as_writable_bytes(std::span(out)));
        if (!done || out != bytes.substr(at, out.size())) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(StoredRun, IsStoredByTheSlowestEffortToo) {
  effort_ = Effort::Best;
  storeSteps(2);
  expectRestores(*readers_[1], *models_[1]);
  EXPECT_EQ(sourcesOf(reports_[1], "body.weight"), 3U);
}

TEST_F(StoredRun, StaysAsItWasWithoutASuitableStep) {
  store();
  run_.step();
  const auto model = run_.snapshot();
  const WriteReport plain = store_.add(*model, parent());
  EXPECT_EQ(plain.manifest.formatVersion, kPlainManifestVersion);
  EXPECT_EQ(store_.objects.at(plain.manifestDigest)[8], std::byte{kPlainManifestVersion});
  WriteOptions options;
  options.stepGroups = run_.groups();
  for (StepGroup& group : options.stepGroups) group.steps.front().beta2 = 0.5;
  const WriteReport unlike = store_.add(*model, parent(), options);
  EXPECT_EQ(sourcesOf(unlike, "body.weight.exp_avg_sq"), 1U) << "the step predicts nothing";
  EXPECT_EQ(sourcesOf(unlike, "body.weight"), 3U) << "the weights' part of it is right";
  expectRestores(*store_.reader(unlike, parent()), *model);
}

TEST_F(StoredRun, TakesTheLikeliestOfSeveralSteps) {
  store();
  run_.step(3e-5);
  const auto model = run_.snapshot();
  WriteOptions options;
  options.stepGroups = run_.groups();
  AdamStep other = run_.lastStep();
  other.lr = 5e-5;
  for (StepGroup& group : options.stepGroups) group.steps.insert(group.steps.begin(), other);
  const WriteReport report = store_.add(*model, parent(), options);
  EXPECT_EQ(sourcesOf(report, "body.weight"), 3U);
  expectRestores(*store_.reader(report, parent()), *model);
}

TEST_F(StoredRun, TakesMomentumWithoutSecondMoments) {
  store();
  auto groups = run_.groups();
  AdamStep momentum = run_.lastStep();
  momentum.variant.update = kernels::UpdateForm::Momentum;
  const auto model = run_.snapshot();
  WriteOptions options;
  for (StepGroup& group : groups) {
    group.secondMoment.reset();
    group.steps = {momentum};
  }
  options.stepGroups = groups;
  const WriteReport report = store_.add(*model, parent(), options);
  expectRestores(*store_.reader(report, parent()), *model);
}

TEST_F(StoredRun, IsCodedAnewByItsFormerSteps) {
  storeSteps(3);
  WriteOptions options;
  options.stepGroups = formerSteps(*readers_[2], models_[2]->description());
  ASSERT_EQ(options.stepGroups.size(), kLayers.size());
  for (const StepGroup& group : options.stepGroups) {
    EXPECT_EQ(group.steps, std::vector{run_.lastStep()});
    EXPECT_EQ(group.secondMoment, group.firstMoment + 1);
    EXPECT_EQ(group.weights, (group.firstMoment - kLayers.size()) / 2);
  }
  const WriteReport again = store_.add(*models_[2], readers_[1], options);
  EXPECT_EQ(again.manifestDigest, reports_[2].manifestDigest);
  // Upon another parent they predict less well.
  const WriteReport other = store_.add(*models_[2], readers_[0], options);
  EXPECT_GT(other.storedBytes, again.storedBytes * 5 / 4);
  expectRestores(*store_.reader(other, readers_[0]), *models_[2]);
  EXPECT_TRUE(formerSteps(*readers_[0], models_[0]->description()).empty());
}

/// Moments that are copies of each other or of weights must not make a circle.
TEST(SeveralSources, LeavesCopiesAlone) {
  const std::string zeros(4000 * sizeof(float), '\0');
  const std::string weights = randomFloats(4000, 1);
  const auto modelOf = [&](const std::string& w, const std::string& m, const std::string& v) {
    auto model = std::make_unique<MemoryModel>();
    const std::vector<std::uint64_t> shape{40, 100};
    model->addFile("a", "h", {{"w", ElementType::F32, shape, w}});
    model->addFile("b", "h",
                   {{"m", ElementType::F32, shape, m}, {"v", ElementType::F32, shape, v}});
    return model;
  };
  AdamStep step;
  step.lr = 1e-3;
  for (const auto& [w, m, v] :
       {std::array{zeros, zeros, zeros}, std::array{weights, weights, zeros},
        std::array{zeros, weights, zeros}, std::array{weights, zeros, weights}}) {
    const auto base = modelOf(weights, randomFloats(4000, 2), randomFloats(4000, 3));
    const auto model = modelOf(w, m, v);
    VersionStore store;
    const Reader parent = store.reader(store.add(*base));
    WriteOptions options;
    options.stepGroups = {{.weights = 0, .firstMoment = 1, .secondMoment = 2, .steps = {step}}};
    const WriteReport report = store.add(*model, parent, options);
    const Reader reader = store.reader(report, parent);
    ASSERT_NE(reader, nullptr);
    expectRestores(*reader, *model);
  }
}

std::string transposed(const std::string& words, std::size_t rows, std::size_t columns) {
  std::string out(words.size(), '\0');
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::memcpy(&out[(c * rows + r) * 4], &words[(r * columns + c) * 4], 4);
    }
  }
  return out;
}

std::string asBf16(const std::string& floats) {
  std::string out;
  for (std::size_t i = 0; i < floats.size(); i += 4) out += floats.substr(i + 2, 2);
  return out;
}

/// Views of any kind: transposed, with a stride, cast, of the parent and of the version itself.
TEST(SeveralSources, MayBeViewsOfAnyKind) {
  constexpr std::size_t kRows = 70;
  constexpr std::size_t kColumns = 50;
  const std::vector<std::uint64_t> shape{kRows, kColumns};
  const std::string before = asBf16(randomFloats(kRows * kColumns, 1));
  const std::string after = asBf16(randomFloats(kRows * kColumns, 2));
  const auto widened = [](const std::string& halves) {
    std::string out;
    for (std::size_t i = 0; i < halves.size(); i += 2)
      out += std::string(2, '\0') + halves.substr(i, 2);
    return out;
  };
  std::string old = randomFloats(kRows * kColumns, 3);
  for (std::size_t i = 3; i < old.size(); i += 4) old[i] = static_cast<char>(old[i] & 0x7f);
  std::string now(old.size(), '\0');
  const auto wordsOf = [](std::string& text) {
    return std::span(reinterpret_cast<std::uint32_t*>(text.data()), text.size() / 4);
  };
  AdamStep step;
  std::string m0 = widened(before);
  std::string m1 = widened(after);
  predictSecondMoment(step, wordsOf(m0), wordsOf(m1), wordsOf(old), wordsOf(now));

  MemoryModel base;
  base.addFile("a", "odd", {{"m", ElementType::BF16, shape, before}});
  base.addFile("b", "header", {{"v", ElementType::F32, shape, old}});
  MemoryModel model;
  const std::vector<std::uint64_t> turned{kColumns, kRows};
  model.addFile("a", "header", {{"v", ElementType::F32, shape, now}});
  model.addFile("b", "odder", {{"mt", ElementType::F32, turned, transposed(m1, kRows, kColumns)}});
  VersionStore store;
  const Reader parent = store.reader(store.add(base));
  ModelPlan plan = planModel(model.description(), parent.get()).value();
  const StepGroup group{.weights = 1, .firstMoment = 1, .steps = {step}};
  PartPlan& part = plan.parts.front();
  ASSERT_EQ(part.shape().rows, kRows);
  const auto& file = base.description().tensors;
  part.group = &group;
  part.stepSources.append({.offset = file[1].offset, .file = 1, .type = ElementType::F32});
  part.stepSources.append({.offset = file[0].offset, .file = 0, .type = ElementType::BF16});
  part.stepSources.append({.offset = model.description().tensors[1].offset,
                           .file = 1,
                           .own = true,
                           .transposed = true,
                           .type = ElementType::F32});
  WriteOptions options;
  options.plan = &plan;
  const WriteReport report = store.add(model, parent, options);
  ASSERT_EQ(sourcesOf(report, "v"), 3U);
  EXPECT_LT(storedBytes(tensorOf(report.manifest, "v")), 400U);
  expectRestores(*store.reader(report, parent), model);
}

/// A manifest with a step, for what a forger might make of it.
class ForgedSources : public StoredRun {
 protected:
  void SetUp() override {
    storeSteps(2);
    manifest_ = ForgedManifest(reports_[1].manifest);
  }

  ManifestPart& part(const std::string& tensor) {
    for (ManifestTensor& one : manifest_.tensors) {
      if (one.name == tensor) return one.parts.front();
    }
    ADD_FAILURE() << "no tensor " << tensor;
    return manifest_.tensors.front().parts.front();
  }

  PartView whole(const std::string& tensor) {
    const ManifestTensor of = tensorOf(manifest_.manifest(), tensor);
    return {.offset = of.offset, .file = of.file, .own = true, .type = ElementType::F32};
  }

  /// Parses, opens and reads all; the first error.
  Result<Files> read(std::uint32_t version = kManySourcesManifestVersion) {
    STRATA_TRY(const std::string message,
               encodeMessage(manifest_.manifest(), Offsets::Differences));
    STRATA_TRY(const std::string object, objectOf(message, version));
    STRATA_TRY(Manifest parsed, parseManifest(std::as_bytes(std::span(object))));
    STRATA_TRY(const Reader reader,
               VersionReader::open(std::move(parsed), readers_[0], store_.objects));
    return restored(*reader);
  }

  void expectDamage(const std::string& word) {
    const auto done = read();
    ASSERT_FALSE(done) << word;
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData) << done.error().message;
    EXPECT_NE(done.error().message.find(word), std::string::npos) << done.error().message;
    // What stands in a struct is checked, too.
    manifest_.formatVersion = kManySourcesManifestVersion;
    const auto opened = VersionReader::open(manifest_.manifest(), readers_[0], store_.objects);
    if (opened) {
      EXPECT_FALSE(restored(**opened)) << word;
    }
  }

  ForgedManifest manifest_;
};

TEST_F(ForgedSources, AreReadAsTheyWereWritten) {
  part("body.weight").furtherViews.items()[0].unknown = std::string_view("\xa0\x06\x01", 3);
  const std::string object = serializeManifest(manifest_.manifest()).value();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, manifest_.manifest());
  EXPECT_TRUE(read());
  EXPECT_NE(manifestText(manifest_.manifest()).find("further_views"), std::string::npos);
}

TEST_F(ForgedSources, MayNotStandOnThemselves) {
  part("body.weight.exp_avg").view = whole("body.weight");
  part("body.weight.exp_avg").codec = CodecId::Same;
  part("body.weight.exp_avg").section.reset();
  expectDamage("stands on itself");
}

TEST_F(ForgedSources, MayNotBeTheirOwnTensor) {
  static_cast<PartView&>(part("body.weight").furtherViews.items()[0]) = whole("body.weight");
  expectDamage("stands on itself");
}

TEST_F(ForgedSources, MayNotGoOverTooManyTensors) {
  // bias <- head's moments in a row: each the copy of the one before, four steps and one more.
  const std::vector<std::string> chain{"head.weight", "head.weight.exp_avg",
                                       "head.weight.exp_avg_sq"};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    ManifestPart& one = part(chain[i]);
    one.furtherViews.clear();
    one.section.reset();
    one.codec = CodecId::Same;
    one.view = whole(i + 1 < chain.size() ? chain[i + 1] : "body.weight");
  }
  expectDamage("too many others");
}

TEST_F(ForgedSources, LieInOneTensor) {
  part("body.weight").furtherViews.items()[0].offset += 4;
  expectDamage("lies in no tensor");
}

TEST_F(ForgedSources, HaveWordsOfAKnownType) {
  for (const int type : {29, 255}) {
    part("body.weight").furtherViews.items()[0].type = static_cast<ElementType>(type);
    expectDamage("unknown type");
  }
}

TEST_F(ForgedSources, LieInTheFilesThatTheyName) {
  part("body.weight.exp_avg_sq").furtherViews.items()[0].offset = std::uint64_t{1} << 40;
  expectDamage("outside of the parent");
  manifest_ = ForgedManifest(reports_[1].manifest);
  part("body.weight.exp_avg_sq").furtherViews.items()[0].file = 9;
  expectDamage("outside of the parent");
}

TEST_F(ForgedSources, AreAsManyAsThePredictorTakes) {
  part("body.weight").furtherViews.append({part("body.weight").source(1)});
  expectDamage("takes 3 sources, the part has 4");
  part("body.weight").furtherViews.append({part("body.weight").source(1)});
  EXPECT_FALSE(read()) << "more than a part may have";
}

TEST_F(ForgedSources, AreNotThoseOfAPredictorWithOne) {
  part("body.weight.exp_avg").furtherViews.append({part("body.weight").source(1)});
  EXPECT_FALSE(read());
  manifest_ = ForgedManifest(reports_[1].manifest);
  part("body.weight").furtherViews.clear();
  expectDamage("takes 3 sources, the part has 1");
}

TEST_F(ForgedSources, NeedTheVersionThatHasThem) {
  EXPECT_FALSE(read(kPlainManifestVersion)) << "the header's version is not the message's";
  for (ManifestTensor& tensor : manifest_.tensors) {
    for (ManifestPart& one : tensor.parts) one.furtherViews.clear();
  }
  EXPECT_FALSE(read(kManySourcesManifestVersion)) << "no part needs it";
  EXPECT_FALSE(read(kManifestVersion)) << "nor that one";
}

}  // namespace
}  // namespace strata::test
