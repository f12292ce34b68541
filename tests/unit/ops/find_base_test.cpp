#include <gtest/gtest.h>

#include <cstring>

#include "core/codec/words/cast.h"
#include "core/match/signature.h"
#include "core/ops/versions/add_version.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

class FindBase : public test::StoreFixture {
 protected:
  FindBase() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {}

  const std::unique_ptr<test::MemoryModel> base_;
  const std::unique_ptr<test::MemoryModel> tuned_;
};

// The weights of a model of one file as `type`.
std::vector<test::MemoryModel::Weight> weightsAs(const test::MemoryModel& model, ElementType type) {
  std::vector<test::MemoryModel::Weight> weights;
  const std::string bytes = model.bytesOf(0);
  for (const TensorInfo& tensor : model.description().tensors) {
    const std::string words = bytes.substr(tensor.offset, tensor.byteCount);
    std::string cast(tensor.byteCount / 4 * wordFormat(type).bytes, 0);
    castWords(ElementType::F32, std::as_bytes(std::span(words)), type,
              std::as_writable_bytes(std::span(cast)));
    weights.push_back({tensor.name, type, tensor.shape, cast});
  }
  return weights;
}

TEST_F(FindBase, FindsAVersionThatIsNoBase) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  test::MemoryModel half;
  half.addFile("model.safetensors", "half", weightsAs(*tuned_, ElementType::BF16));
  const AddReport added = add("half", half);
  EXPECT_TRUE(added.baseWasChosen);
  EXPECT_EQ(added.parentLabel, "sst2:v1");
  EXPECT_EQ(added.baseLabel, "base:v1");
  EXPECT_LT(added.version.storedBytes, 1000U) << "rounding is all that differs";
  EXPECT_TRUE(comesBack("half", half));
  AddOptions flat{.name = "flat"};
  flat.chain = ChainPolicy::Never;
  flat.dryRun = true;
  flat.codeAnew = true;
  EXPECT_EQ(add(half, flat).parentLabel, "base:v1") << "chains are refused";
}

TEST_F(FindBase, LooksBeyondItsNameOnlyForWhatIsClearlyBetter) {
  import("base", *base_);
  const auto far = test::makeTuned(*base_, 20, 1.0);
  add("sst2", *tuned_, "base");
  add("far", *far, "base");
  const AddReport crossed = add("sst2", *test::makeTuned(*far, 30, 0.01));
  EXPECT_EQ(crossed.parentLabel, "far:v1");
  EXPECT_TRUE(crossed.baseWasChosen);
  const AddReport own = add("far", *test::makeTuned(*far, 31, 0.3));
  EXPECT_EQ(own.parentLabel, "far:v1");
  EXPECT_FALSE(own.baseWasChosen);
}

TEST_F(FindBase, FindsNoChainThatWouldGetTooLong) {
  import("base", *base_);
  AddOptions options{.name = "run", .baseChoice = BaseChoice::Reference, .base = "base"};
  options.chain = ChainPolicy::Always;
  auto model = test::makeTuned(*base_, 100, 0.01);
  for (unsigned i = 0; i < kMaxChainDepth; ++i) {
    add(*model, options);
    model = test::makeTuned(*model, 200 + i, 0.01);
  }
  EXPECT_LE(add("other", *model).version.depth, kMaxChainDepth);
}

TEST_F(FindBase, TakesNoBaseWhoseTypeCannotStandIn) {
  test::MemoryModel twice;
  std::vector<test::MemoryModel::Weight> weights = weightsAs(*base_, ElementType::F32);
  for (test::MemoryModel::Weight& weight : weights) {
    std::string wide;
    for (std::size_t at = 0; at < weight.bytes.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, weight.bytes.data() + at, sizeof value);
      const double same = value;
      wide.append(reinterpret_cast<const char*>(&same), sizeof same);
    }
    weight.type = ElementType::F64;
    weight.bytes = wide;
  }
  twice.addFile("model.safetensors", "twice", weights);
  import("twice", twice);
  EXPECT_TRUE(add("first", *tuned_).version.isBase());
  import("base", *base_);
  EXPECT_EQ(add("second", *test::makeTuned(*base_, 11)).parentLabel, "base:v1");
}

// Lists a version of `from` again under a signature that is another model's.
void addLiar(Store& store, const std::string& name, const VersionEntry& from,
             const ModelSource& other) {
  const auto manifest = readManifest(store, from.manifestDigest, from.contentDigest);
  ASSERT_TRUE(manifest);
  VersionRef liar;
  liar.name = name;
  liar.contentDigest = from.contentDigest;
  liar.manifestDigest = from.manifestDigest;
  liar.signature = makeSignature(other.description());
  auto writer = store.lock("add");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(
      (*writer)->addVersion(liar, summarize(*manifest, from.manifestDigest, store.objects()), {}));
}

TEST_F(FindBase, TriesTheNextWhereASignatureIsNotTrue) {
  const AddReport other = import("other", *test::makeModel(2));
  import("base", *base_);
  addLiar(store(), "liar", other.version, *tuned_);
  EXPECT_EQ(add("tuned", *tuned_).parentLabel, "base:v1");
  EXPECT_TRUE(comesBack("tuned", *tuned_));
}

TEST_F(FindBase, TakesNoBaseWhereNoSignatureIsTrue) {
  for (const unsigned seed : {2U, 3U, 4U}) {
    const std::string name = "other" + std::to_string(seed);
    const AddReport other = import(name, *test::makeModel(seed));
    addLiar(store(), "liar-" + name, other.version, *tuned_);
  }
  const AddReport added = add("tuned", *tuned_);
  EXPECT_TRUE(added.version.isBase());
  EXPECT_FALSE(added.baseWasChosen);
  EXPECT_TRUE(comesBack("tuned", *tuned_));
}

std::string bytesOfFile(const Store& store, const AddReport& added, std::uint32_t file,
                        std::size_t byteCount) {
  const auto reader = openVersion(store, added.version.contentDigest);
  EXPECT_TRUE(reader);
  std::string bytes(byteCount, 0);
  EXPECT_TRUE((*reader)->read(file, 0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

TEST_F(FindBase, LetsFilesOfAFolderStandOnEachOther) {
  const auto weights = weightsAs(*tuned_, ElementType::F32);
  test::MemoryModel single;
  single.addFile("checkpoint-1000/model.safetensors", "later", weights);
  const AddReport alone = import("alone", single);
  for (const bool isBase : {true, false}) {
    test::MemoryModel folder("folder");
    folder.addFile("checkpoint-1000/model.safetensors", isBase ? "a base" : "a variant", weights);
    folder.addFile("checkpoint-500/model.safetensors", "earlier",
                   weightsAs(*test::makeTuned(*tuned_, 7, 0.01), ElementType::F32));
    folder.addFile("half.safetensors", "half", weightsAs(*tuned_, ElementType::BF16));
    const AddReport added =
        isBase ? import("base", folder) : add("tuned", folder, alone.version.label());
    const std::uint64_t most = isBase ? alone.version.storedBytes * 5 / 4 : 4000;
    EXPECT_LT(added.version.storedBytes, most);
    for (std::uint32_t file = 0; file < 3; ++file) {
      const std::string bytes = folder.bytesOf(file);
      EXPECT_EQ(bytesOfFile(store(), added, file, bytes.size()), bytes) << file;
    }
  }
}

}  // namespace
}  // namespace strata
