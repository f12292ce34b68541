#include "core/archive/write/version_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "core/parallel.h"
#include "weights.h"

namespace strata::test {
namespace {

constexpr auto kBrain = ElementType::BF16;

/// Adds a base and a version, checks that both come back and returns the version's report.
WriteReport addPair(const MemoryModel& base, const MemoryModel& variant,
                    const WriteOptions& options = {}) {
  VersionStore store;
  const Reader parent = store.reader(store.add(base, nullptr, options));
  const WriteReport report = store.add(variant, parent, options);
  const Reader child = store.reader(report, parent);
  if (parent == nullptr || child == nullptr) return report;
  expectRestores(*parent, base);
  expectRestores(*child, variant);
  return report;
}

TEST(VersionWriter, BringsBackABase) {
  VersionStore store;
  const auto model = modelOf({weightOf("a", gaussian(200, 60, 1)),
                              weightOf("b", gaussian(1, 777, 2), ElementType::F16),
                              weightOf("c", gaussian(64, 300, 3), kBrain)});
  const WriteReport report = store.add(*model);
  expectRestores(*store.reader(report), *model);
  EXPECT_EQ(report.originalBytes, model->bytesOf(0).size());
  EXPECT_EQ(report.storedBytes, store.objects.byteCount());
  EXPECT_EQ(report.contentDigest, contentDigest(report.manifest));
  EXPECT_EQ(report.manifest.depth, 0U);
  EXPECT_LT(report.storedBytes, report.originalBytes);
}

TEST(VersionWriter, RefusesAFileThatIsAFolder) {
  MemoryModel model("folder");
  model.addFile("a", "one", {});
  model.addFile("a/b", "two", {});
  VersionStore store;
  const auto written = writeVersion(model, nullptr, {}, store.objects, {}, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(written.error().message, "\"a\" is a file of the model and the folder of another one");
}

TEST(VersionWriter, StoresAFineTuneAsADelta) {
  const Matrix a = gaussian(200, 160, 1);
  const Matrix b = gaussian(300, 64, 2);
  const auto base = modelOf({weightOf("a", a, kBrain), weightOf("b", b, kBrain)});
  const auto tune =
      modelOf({weightOf("a", tuned(a, 3, 0.01F), kBrain), weightOf("b", tuned(b, 4), kBrain)});
  const WriteReport report = addPair(*base, *tune);
  EXPECT_EQ(codecsOf(report, "a"), "integer");
  EXPECT_EQ(report.manifest.depth, 1U);
  EXPECT_LT(report.storedBytes, weightBytes(*tune) / 2);
  EXPECT_GT(report.manifest.tensors[0].changed, 0.5F);
  EXPECT_NEAR(report.manifest.tensors[0].relativeChange, 0.01, 0.002);
}

TEST(VersionWriter, BringsBackAChainOfFour) {
  VersionStore store;
  std::vector<Matrix> states{gaussian(120, 90, 1)};
  std::vector<std::unique_ptr<MemoryModel>> models;
  std::vector<Reader> readers{nullptr};
  for (unsigned step = 0; step < 4; ++step) {
    models.push_back(
        modelOf({weightOf("w", states.back(), kBrain), weightOf("still", gaussian(50, 50, 9)),
                 weightOf("turned", transposed(states.back()))}));
    readers.push_back(store.reader(store.add(*models.back(), readers.back()), readers.back()));
    ASSERT_NE(readers.back(), nullptr);
    EXPECT_EQ(readers.back()->manifest().depth, step);
    states.push_back(tuned(states.back(), 10 + step, 0.01F));
  }
  for (std::size_t i = models.size(); i-- > 0;) expectRestores(*readers[i + 1], *models[i]);
}

TEST(VersionWriter, SpendsLessThanAHundredBytesOnEachEqualTensor) {
  std::vector<MemoryModel::Weight> weights;
  for (unsigned i = 0; i < 50; ++i) {
    weights.push_back(weightOf("layer." + std::to_string(i), gaussian(40, 50 + i, i)));
  }
  const auto base = modelOf(weights);
  const WriteReport report = addPair(*base, *modelOf(weights));
  EXPECT_EQ(codecsOf(report, "layer.7"), "same");
  EXPECT_LT(report.storedBytes, 50U * 100U);
  testing::Test::RecordProperty("bytes_per_equal_tensor", std::to_string(report.storedBytes / 50));
}

TEST(VersionWriter, FollowsWeightsThatWereRenamedAndTransposed) {
  const Matrix a = gaussian(180, 140, 1);
  const Matrix b = gaussian(100, 220, 2);
  const auto base = modelOf({weightOf("encoder.a", a), weightOf("encoder.b", b)});
  const auto variant = modelOf({weightOf("onnx::MatMul_7", transposed(b)),
                                weightOf("onnx::MatMul_9", tuned(transposed(a), 3, 0.001F))});
  const WriteReport report = addPair(*base, *variant);
  EXPECT_EQ(codecsOf(report, "onnx::MatMul_7"), "same");
  EXPECT_TRUE(report.manifest.tensors[1].parts[0].view->transposed);
  EXPECT_LT(report.storedBytes, weightBytes(*variant) / 2);
}

TEST(VersionWriter, ReadsLargeTransposedWeightsFromAnyPlaceOn) {
  constexpr std::uint64_t kSide = 3000;
  const Matrix a = gaussian(kSide, kSide, 1);
  const auto base = modelOf({weightOf("a", a, kBrain)});
  const auto variant = modelOf({weightOf("b", tuned(transposed(a), 2, 0.001F), kBrain)});
  VersionStore store;
  const Reader parent = store.reader(store.add(*base, nullptr), nullptr);
  const WriteReport report = store.add(*variant, parent);
  ASSERT_EQ(report.manifest.tensors[0].parts.size(), 3);
  for (const auto& part : report.manifest.tensors[0].parts) {
    EXPECT_TRUE(part.view->transposed);
  }
  const auto whole = variant->description().files[0].bytes.whole();
  for (const unsigned firstQuarter : {3, 1, 0}) {
    const Reader reader = store.reader(report, parent);
    for (unsigned i = 0; i < 4; ++i) {
      const std::size_t at = whole.size() / 4 * ((firstQuarter + i) % 4);
      std::vector<std::byte> found(whole.size() / 4);
      ASSERT_TRUE(reader->read(0, at, found));
      EXPECT_TRUE(std::ranges::equal(found, whole.subspan(at, found.size()))) << at;
    }
  }
}

TEST(VersionWriter, CodesAGrownVocabularyAgainstTheRowsItHad) {
  const Matrix words = gaussian(500, 96, 1);
  const auto base = modelOf({weightOf("embedding", words, kBrain)});
  const auto grown = modelOf(
      {weightOf("embedding", stackedRows({tuned(words, 2, 0.005F), gaussian(40, 96, 3)}), kBrain)});
  const WriteReport report = addPair(*base, *grown);
  ASSERT_EQ(report.manifest.tensors[0].parts.size(), 2);
  EXPECT_TRUE(report.manifest.tensors[0].parts[0].view.has_value());
  EXPECT_LT(report.storedBytes, weightBytes(*grown) / 2);
}

TEST(VersionWriter, CodesMergedProjectionsAgainstTheSeparateOnes) {
  const Matrix q = gaussian(96, 128, 1);
  const Matrix k = gaussian(96, 128, 2);
  const Matrix v = gaussian(96, 128, 3);
  const auto base = modelOf({weightOf("q", q), weightOf("k", k), weightOf("v", v)});
  const auto below = modelOf({weightOf("qkv", stackedRows({q, tuned(k, 4, 0.001F), v}))});
  const auto beside = modelOf({weightOf("qkv", besideColumns({q, tuned(k, 4, 0.001F), v}))});
  EXPECT_LT(addPair(*base, *below).storedBytes, weightBytes(*below) / 3);
  EXPECT_LT(addPair(*base, *beside).storedBytes, weightBytes(*beside) / 3);
  EXPECT_LT(addPair(*below, *base).storedBytes, weightBytes(*base) / 3) << "split again";
}

TEST(VersionWriter, CodesCastsAgainstTheRoundedParent) {
  const Matrix a = gaussian(200, 120, 1);
  const Matrix moved = tuned(a, 2, 0.005F);
  const auto single = modelOf({weightOf("a", a), weightOf("b", moved)});
  for (const ElementType type : {kBrain, ElementType::F16}) {
    const auto cast =
        modelOf({weightOf("a", a, type), weightOf("b", tuned(moved, 3, 0.005F), type)});
    const WriteReport narrow = addPair(*single, *cast);
    EXPECT_EQ(codecsOf(narrow, "a"), "same") << name(type);
    EXPECT_LT(narrow.storedBytes, weightBytes(*cast) / 2) << name(type);
    addPair(*cast, *single);
  }
}

TEST(VersionWriter, StoresTiedWeightsOnce) {
  const Matrix words = gaussian(400, 100, 1);
  const auto model =
      modelOf({weightOf("embedding", words), weightOf("head", words), weightOf("third", words)});
  VersionStore store;
  const WriteReport report = store.add(*model);
  expectRestores(*store.reader(report), *model);
  EXPECT_TRUE(report.manifest.tensors[1].parts[0].view->own);
  EXPECT_EQ(codecsOf(report, "head"), "same");
  EXPECT_EQ(codecsOf(report, "third"), "same");
  EXPECT_LT(report.storedBytes, weightBytes(*model) / 3);
  const Matrix next = tuned(words, 2, 0.01F);
  addPair(*model, *modelOf({weightOf("embedding", next), weightOf("head", next)}));
}

std::unique_ptr<MemoryModel> folderOf(const Matrix& matrix, const std::string& tokenizer) {
  auto model = std::make_unique<MemoryModel>("folder");
  model->addFile("README.md", "about this model\n", {});
  model->addFile("empty", "", {});
  model->addFile("model.safetensors", "header\n", {weightOf("w", matrix)});
  model->addFile("onnx/model.onnx", "another header\n", {weightOf("v", matrix, kBrain)}, "end");
  model->addFile("tokenizer.json", tokenizer, {});
  return model;
}

TEST(VersionWriter, KeepsTheOtherFilesOfAFolder) {
  std::string tokenizer;
  for (int i = 0; i < 3000; ++i) tokenizer += "token " + std::to_string(i * 7919 % 30'011) + "\n";
  const Matrix a = gaussian(100, 80, 1);
  const auto base = folderOf(a, tokenizer);
  const WriteReport same = addPair(*base, *folderOf(tuned(a, 2), tokenizer));
  const WriteReport changed =
      addPair(*base, *folderOf(tuned(a, 2), tokenizer + "one more token\n"));
  EXPECT_EQ(same.manifest.files.size(), 5);
  EXPECT_FALSE(same.manifest.files[4].skeleton.has_value()) << "an equal file costs no section";
  EXPECT_LT(changed.storedBytes, same.storedBytes + 200) << "a changed one costs the change";
}

TEST(VersionWriter, SpendsLessThanAHundredBytesOnAnEqualFile) {
  const auto withFiles = [](int count) {
    auto model = std::make_unique<MemoryModel>("folder");
    for (int i = 0; i < count; ++i) {
      std::mt19937 random(static_cast<unsigned>(i));
      std::string text(2000, ' ');
      for (char& c : text) c = static_cast<char>('a' + random() % 26);
      model->addFile("file" + std::to_string(100 + i), text, {});
    }
    return model;
  };
  const std::uint64_t one = addPair(*withFiles(1), *withFiles(1)).storedBytes;
  const std::uint64_t many = addPair(*withFiles(41), *withFiles(41)).storedBytes;
  EXPECT_LT(many, one + 40 * 100);
}

TEST(VersionWriter, TakesAModelWithoutTensorsOrFiles) {
  const auto text = std::make_unique<MemoryModel>("folder");
  text->addFile("config.json", "{}", {});
  addPair(*text, *text);
  const auto empty = std::make_unique<MemoryModel>("folder");
  empty->addFile("empty", "", {});
  addPair(*empty, *text);
  addPair(MemoryModel("folder"), MemoryModel("folder"));
}

/// One weight of every type, of odd counts where the type is packed.
std::unique_ptr<MemoryModel> everyTypeModel(Content content, bool wantParent) {
  std::vector<MemoryModel::Weight> weights;
  for (std::uint32_t stored = 0; elementTypeFromStored(stored); ++stored) {
    const ElementType type = *elementTypeFromStored(stored);
    for (const std::vector<std::uint64_t>& shape :
         {std::vector<std::uint64_t>{}, {31}, {12, 30}, {7, 3, 5}}) {
      std::uint64_t count = 1;
      for (const std::uint64_t dimension : shape) count *= dimension;
      const std::uint64_t bytes = *bytesOfElements(type, count);
      const WordFormat word = wordFormat(type);
      const PartSample sample =
          makeSample({word, 1, (bytes + word.bytes - 1) / word.bytes}, content, stored);
      weights.push_back({std::string(name(type)) + "." + std::to_string(shape.size()), type, shape,
                         textOf(wantParent ? sample.parent : sample.words)});
    }
  }
  return modelOf(weights);
}

TEST(VersionWriter, BringsBackEveryTypeAndShape) {
  for (const Content content : {Content::FineTuned, Content::Specials, Content::SignsFlipped}) {
    SCOPED_TRACE(nameOf(content));
    addPair(*everyTypeModel(content, true), *everyTypeModel(content, false));
  }
}

TEST(VersionWriter, TakesEveryCodecAndEffort) {
  const auto base = everyTypeModel(Content::FineTuned, true);
  const auto tune = everyTypeModel(Content::FineTuned, false);
  for (const char* codec : {"auto", "raw", "zstd", "planes", "integer", "xor"}) {
    SCOPED_TRACE(codec);
    WriteOptions options;
    options.codec = codec;
    addPair(*base, *tune, options);
  }
  for (const Effort effort : {Effort::Fast, Effort::Default, Effort::Best}) {
    WriteOptions options;
    options.effort = effort;
    EXPECT_EQ(addPair(*base, *tune, options).manifest.effort, name(effort));
  }
}

TEST(VersionWriter, LeavesWordsRawWhereTheCodecAskedForWouldLetThemGrow) {
  // Numbers around zero: with their signs, all sixteen bits of their xor change.
  std::mt19937 random(5);
  std::string before(60'000, '\0');
  std::string after = before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const int value = static_cast<int>(random() % 40) - 20;
    before[i] = static_cast<char>(value);
    after[i] = static_cast<char>(value + static_cast<int>(random() % 60) - 30);
  }
  const std::vector<std::uint64_t> shape{200, 300};
  const auto base = modelOf({{"w", ElementType::I8, shape, before}});
  const auto variant = modelOf({{"w", ElementType::I8, shape, after}});
  WriteOptions options;
  options.codec = "xor";
  const WriteReport report = addPair(*base, *variant, options);
  EXPECT_EQ(codecsOf(report, "w"), "raw");
  EXPECT_LT(report.storedBytes, before.size() + 2000);
}

TEST(VersionWriter, KnowsNoOtherCodec) {
  VersionStore store;
  WriteOptions options;
  options.codec = "lzma";
  const auto report = writeVersion(*makeModel(1), nullptr, options, store.objects, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidArgument);
}

TEST(VersionWriter, CutsLargeTensorsIntoParts) {
  const Matrix a = gaussian(2100, 2050, 1);
  const auto base = modelOf({weightOf("a", a, kBrain)});
  Matrix turned = transposed(a);
  for (std::size_t i = 0; i < turned.values.size(); i += 50) turned.values[i] += 0.01F;
  const auto variant = modelOf({weightOf("turned", turned, kBrain)});
  const WriteReport report = addPair(*base, *variant);
  EXPECT_GT(report.manifest.tensors[0].parts.size(), 1);
  EXPECT_LT(report.storedBytes, weightBytes(*variant) / 10);
}

TEST(VersionWriter, CutsLongRowsIntoParts) {
  std::string bytes(5'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(i / 1000);
  const std::vector<std::uint64_t> shape{bytes.size()};
  const auto base = modelOf({{"blob", ElementType::Bytes, shape, bytes}});
  bytes[4'999'999] = 'y';
  const auto variant = modelOf({{"blob", ElementType::Bytes, shape, bytes}});
  const WriteReport report = addPair(*base, *variant);
  EXPECT_GT(report.manifest.tensors[0].parts.size(), 1);
  EXPECT_LT(report.storedBytes, 2000U);
}

TEST(VersionWriter, WritesTheSameBytesForAnyNumberOfThreads) {
  const auto base = everyTypeModel(Content::FineTuned, true);
  const auto tune = everyTypeModel(Content::FineTuned, false);
  std::map<Digest, std::vector<std::byte>> first;
  for (const std::size_t threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    VersionStore store;
    const Reader parent = store.reader(store.add(*base));
    store.add(*tune, parent);
    if (first.empty()) first = store.objects.all();
    EXPECT_TRUE(store.objects.all() == first) << threads << " threads";
  }
}

TEST(VersionWriter, LeavesNoObjectWhenItIsCancelled) {
  VersionStore store;
  std::stop_source stop;
  stop.request_stop();
  const auto report = writeVersion(*makeModel(1), nullptr, {}, store.objects, stop.get_token(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(store.objects.all().empty());
}

/// Many small weights, and a tune of them.
std::pair<std::unique_ptr<MemoryModel>, std::unique_ptr<MemoryModel>> manySmall(unsigned count) {
  std::vector<MemoryModel::Weight> base;
  std::vector<MemoryModel::Weight> tune;
  for (unsigned i = 0; i < count; ++i) {
    const Matrix own = gaussian(4, 4, i);
    base.push_back(weightOf("w" + std::to_string(i), own));
    tune.push_back(weightOf("w" + std::to_string(i), tuned(own, 5000 + i, 0.01F)));
  }
  return {modelOf(base), modelOf(tune)};
}

TEST(VersionWriter, WritesTheSameWhereNoPlanOfASmallPartIsKept) {
  const auto [base, tune] = manySmall(200);
  const WriteReport kept = addPair(*base, *tune);
  const WriteReport planned = addPair(*base, *tune, {{.memoryBytes = 1}, {}});
  EXPECT_EQ(kept.manifestDigest, planned.manifestDigest);
  EXPECT_EQ(kept.manifest.tables.size(), 1);
}

TEST(PartEncoder, KeepsPlansOfSmallPartsInLittleMemory) {
  const auto [base, tune] = manySmall(2);
  VersionStore store;
  const Reader parent = store.reader(store.add(*base));
  const ModelPlan plan = planModel(tune->description(), parent.get()).value();
  const PartEncoder encoder(tune->description(), parent.get(), Effort::Default, std::nullopt);
  ASSERT_TRUE(encoder.isSmall(plan.parts[0]));
  EXPECT_LT(encoder.planSmall(plan.parts[0])->byteCount(), 1200U);
}

/// Bytes that a base and its tune take together.
std::uint64_t storedBytes(const MemoryModel& base, const MemoryModel& tune, Effort effort) {
  VersionStore store;
  WriteOptions options;
  options.effort = effort;
  const WriteReport first = store.add(base, nullptr, options);
  const Reader parent = store.reader(first);
  const WriteReport second = store.add(tune, parent, options);
  expectRestores(*store.reader(second, parent), tune);
  return first.storedBytes + second.storedBytes;
}

TEST(VersionWriter, StoresNoLargerVersionsWithTheBestEffort) {
  // Halves that are distributed differently: tables of their own serve each better than common
  // ones.
  const auto halves = [](unsigned seed, float relative) {
    const Matrix calm = gaussian(1300, 900, 1, 0.01F);
    const Matrix wild = gaussian(1300, 900, 2, 0.5F);
    if (seed == 0) return stackedRows({calm, wild});
    return stackedRows({tuned(calm, seed, relative), tuned(wild, seed + 1, 20 * relative)});
  };
  for (const ElementType type : {ElementType::BF16, ElementType::F32}) {
    const auto base = modelOf({weightOf("w", halves(0, 0), type)});
    const auto tune = modelOf({weightOf("w", halves(3, 0.002F), type)});
    EXPECT_LE(storedBytes(*base, *tune, Effort::Best), storedBytes(*base, *tune, Effort::Default))
        << name(type);
  }
}

}  // namespace
}  // namespace strata::test
