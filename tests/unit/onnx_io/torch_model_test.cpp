// Files that PyTorch 1.13 and 2.15 wrote (tests/data/pytorch/make_files.py).
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/support/zip_encoder.h"

namespace strata {
namespace {

using namespace std::string_literals;
using test::checkTiles;
using test::listed;
using test::tensorNamed;
using test::tensorText;
using test::torchFile;
using Shape = std::vector<std::uint64_t>;

std::filesystem::path dataPath(const std::string& name) {
  return std::filesystem::path(STRATA_TEST_DATA) / "pytorch" / name;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// One weight of four bytes behind a header of so many.
std::string safetensorsOf(const std::string& name, std::size_t headerBytes) {
  std::string header = R"({")" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  header.resize(headerBytes, ' ');
  return test::safetensorsFile(header, "abcd");
}

std::vector<float> floats(const ModelDescription& model, std::string_view name) {
  const TensorInfo* const tensor = tensorNamed(model, name);
  std::vector<float> out(tensor->byteCount / sizeof(float));
  const std::string_view bytes = tensorText(model, *tensor);
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

bool has(const ModelDescription& model, std::string_view name) {
  return std::any_of(model.tensors.begin(), model.tensors.end(),
                     [&](const TensorInfo& tensor) { return tensor.name == name; });
}

std::string asBytes(const ModelDescription& model) {
  std::string out;
  for (const auto& [key, value] : model.metadata) out += key == "stored as bytes" ? value : "";
  return out;
}

std::unique_ptr<ModelSource> open(const std::filesystem::path& path) {
  auto opened = openModel(path);
  EXPECT_TRUE(opened) << opened.error().message;
  if (!opened) std::abort();
  EXPECT_TRUE(checkTiles((*opened)->description()));
  return std::move(*opened);
}

class EveryTorch : public ::testing::TestWithParam<std::string> {
 protected:
  const ModelDescription& open(const std::string& name) {
    model_ = strata::open(dataPath(GetParam() + "/" + name));
    return model_->description();
  }
  std::unique_ptr<ModelSource> model_;
};

TEST_P(EveryTorch, GivesWeightsTheirNames) {
  const ModelDescription& model = open("weights.pt");
  EXPECT_EQ(model.format, "pytorch");
  EXPECT_EQ(model.files[0].kind, FileKind::PyTorch);
  EXPECT_TRUE(model.metadata.empty());
  ASSERT_EQ(model.tensors.size(), 4U) << listed(model);
  EXPECT_EQ(tensorNamed(model, "0.weight")->type, ElementType::F32);
  EXPECT_EQ(tensorNamed(model, "0.weight")->shape, (Shape{4, 3}));
  EXPECT_EQ(floats(model, "0.weight")[11], 11.0F);
  EXPECT_EQ(floats(model, "1.bias"), (std::vector<float>{300, 301, 302, 303}));
  EXPECT_EQ(tensorNamed(model, "0.weight")->kind, TensorKind::Linear);
}

/// A module that was pickled whole: its classes are not looked up.
TEST_P(EveryTorch, ReadsWholeModules) {
  const ModelDescription& model = open("module.pt");
  ASSERT_EQ(model.tensors.size(), 4U) << listed(model);
  EXPECT_EQ(floats(model, "0.bias"), (std::vector<float>{100, 101, 102, 103}));
  EXPECT_EQ(tensorNamed(model, "1.weight")->shape, Shape{4});
}

TEST_P(EveryTorch, TellsMomentsFromTheirWeights) {
  const ModelDescription& model = open("run.ckpt");
  EXPECT_EQ(tensorNamed(model, "state_dict.0.weight")->kind, TensorKind::Linear);
  const std::string state = "optimizer_states.0.state.0.";
  EXPECT_EQ(tensorNamed(model, state + "exp_avg")->kind, TensorKind::FirstMoment);
  EXPECT_EQ(tensorNamed(model, state + "exp_avg_sq")->kind, TensorKind::SecondMoment);
  EXPECT_EQ(tensorNamed(model, state + "step")->kind, TensorKind::OptimizerState);
  EXPECT_EQ(tensorNamed(model, state + "exp_avg")->shape, (Shape{4, 3}));
  EXPECT_EQ(floats(model, state + "step"), std::vector<float>{2});
  EXPECT_EQ(model.tensors.size(), 16U) << listed(model);
}

TEST_P(EveryTorch, ListsEachStorageOnce) {
  for (const std::string file : {"views.pt", "protocol5.pt"}) {
    const ModelDescription& model = open(file);
    EXPECT_EQ(tensorNamed(model, "turned")->shape, (Shape{4, 6})) << "as it lies";
    EXPECT_EQ(tensorNamed(model, "images")->shape, (Shape{4, 4, 3}));
    EXPECT_EQ(tensorNamed(model, "middle")->shape, Shape{6});
    EXPECT_EQ(tensorNamed(model, "middle#2")->shape, Shape{3});
    EXPECT_EQ(tensorNamed(model, "middle#3")->shape, Shape{15});
    EXPECT_EQ(floats(model, "middle#3").front(), 9.0F);
    EXPECT_EQ(tensorNamed(model, "columns")->shape, Shape{24}) << "not dense: its whole storage";
    EXPECT_EQ(tensorNamed(model, "low")->shape, Shape{4});
    EXPECT_EQ(tensorNamed(model, "high")->shape, Shape{6});
    EXPECT_EQ(tensorNamed(model, "expanded")->shape, Shape{3});
    EXPECT_EQ(tensorNamed(model, "tied")->shape, Shape{5});
    EXPECT_FALSE(has(model, "again"));
    EXPECT_EQ(tensorNamed(model, "scalar")->shape, Shape{});
    EXPECT_FALSE(has(model, "none"));
    EXPECT_EQ(tensorNamed(model, "parameter")->shape, Shape{2});
    EXPECT_EQ(tensorNamed(model, "list.1.3")->shape, Shape{3});
    EXPECT_EQ(tensorNamed(model, "list.1.deep")->shape, Shape{2});
    EXPECT_TRUE(model.oddTensors.empty()) << model.oddTensors.front();
    EXPECT_EQ(asBytes(model), "");
  }
}

TEST_P(EveryTorch, KnowsEveryType) {
  const ModelDescription& model = open("views.pt");
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, ElementType>>{{"float64", ElementType::F64},
                                                        {"float16", ElementType::F16},
                                                        {"bfloat16", ElementType::BF16},
                                                        {"int8", ElementType::I8},
                                                        {"int16", ElementType::I16},
                                                        {"int32", ElementType::I32},
                                                        {"low", ElementType::I64},
                                                        {"rng", ElementType::U8},
                                                        {"bool", ElementType::Bool},
                                                        {"complex64", ElementType::C64},
                                                        {"complex128", ElementType::C128}}) {
    EXPECT_EQ(tensorNamed(model, name)->type, type) << name;
  }
  if (GetParam() == "1.13") return;
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, ElementType>>{{"uint16", ElementType::U16},
                                                        {"uint32", ElementType::U32},
                                                        {"uint64", ElementType::U64},
                                                        {"float8_e4m3fn", ElementType::F8E4M3FN},
                                                        {"float8_e5m2", ElementType::F8E5M2},
                                                        {"untyped", ElementType::Bytes}}) {
    EXPECT_EQ(tensorNamed(model, name)->type, type) << name;
  }
}

TEST_P(EveryTorch, KeepsTheOldFormatAsBytes) {
  const ModelDescription& model = open("old.pt");
  EXPECT_TRUE(asBytes(model).starts_with("old.pt: it is a pickle without a zip archive"));
  EXPECT_EQ(model.files[0].kind, FileKind::Other);
}

/// As torch.save wrote with pickle_protocol 0 and 1.
TEST(OldTorch, OfTheFirstProtocolsIsKeptAsBytes) {
  const test::ModelFolder folder;
  const std::string magic = "L119547037146038801333356L\n.";
  for (const std::string& rest :
       {std::string("I1001\n.(dp0\n."), std::string("M\xe9\x03.}q\0.", 9)}) {
    const auto model = folder.open("m.pt", magic + rest);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE(asBytes((*model)->description()).starts_with("m.pt: it is a pickle"));
  }
  EXPECT_FALSE(folder.open("m.pt", "(dp0\n.")) << "no pickle of torch.save";
}

/// Each bit of the first and last bits of every byte, and every length.
TEST_P(EveryTorch, MutationsAreModelsOrErrors) {
  const std::string whole = content(dataPath(GetParam() + "/weights.pt"));
  const test::ModelFolder folder;
  const auto check = [&](const std::string& bytes) {
    const auto opened = folder.open("m.pt", bytes);
    if (opened) {
      ASSERT_TRUE(checkTiles((*opened)->description()));
    } else {
      ASSERT_NE(opened.error().code, ErrorCode::Internal);
    }
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bits : {0x01, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
      check(bytes);
    }
    check(whole.substr(0, at));
  }
}

INSTANTIATE_TEST_SUITE_P(Release, EveryTorch, ::testing::Values("1.13", "2.15"),
                         [](const auto& row) {
                           return std::string(row.index == 0 ? "OfDebian" : "Newest");
                         });

TEST(DcpFolder, IsNamedByItsMetadata) {
  const auto source = open(dataPath("2.15/dcp"));
  const ModelDescription& model = source->description();
  EXPECT_EQ(tensorNamed(model, "model.0.weight")->shape, (Shape{4, 3}));
  EXPECT_EQ(tensorNamed(model, "model.1.bias")->type, ElementType::F32);
  EXPECT_EQ(tensorNamed(model, "optim.state.0.exp_avg")->kind, TensorKind::FirstMoment);
  EXPECT_EQ(tensorNamed(model, "optim.state.0.exp_avg_sq")->kind, TensorKind::SecondMoment);
  EXPECT_EQ(tensorNamed(model, "optim.state.0.step")->kind, TensorKind::OptimizerState);
  EXPECT_EQ(asBytes(model), "");
}

TEST(DcpFolder, WithoutMetadataGoesByPlaces) {
  const test::ModelFolder folder;
  const std::string bytes = content(dataPath("2.15/dcp/__0_0.distcp"));
  const auto source = open(folder.write("__0_0.distcp", bytes + "torn"));
  EXPECT_TRUE(has(source->description(), "__0_0.distcp@31525")) << listed(source->description());
  EXPECT_NE(asBytes(source->description()).find("from byte 56757 on"), std::string::npos);
}

TEST(NpzFile, ListsItsArrays) {
  const auto source = open(dataPath("2.15/arrays.npz"));
  const ModelDescription& model = source->description();
  EXPECT_EQ(model.format, "npz");
  EXPECT_EQ(model.files[0].kind, FileKind::Npz);
  EXPECT_EQ(tensorNamed(model, "whole")->shape, (Shape{2, 3}));
  EXPECT_EQ(floats(model, "whole")[5], 5.0F);
  EXPECT_EQ(tensorNamed(model, "columns")->shape, (Shape{3, 2})) << "as it lies";
  EXPECT_EQ(tensorNamed(model, "columns")->type, ElementType::F64);
  EXPECT_EQ(tensorNamed(model, "turned")->type, ElementType::Bytes) << "big-endian";
  EXPECT_EQ(tensorNamed(model, "text")->type, ElementType::Bytes);
  EXPECT_EQ(tensorNamed(model, "flag")->shape, Shape{});
  EXPECT_FALSE(has(model, "none"));
  EXPECT_NE(asBytes(model).find("2 of its 6 arrays alone, which hold texts"), std::string::npos)
      << asBytes(model);
}

TEST(NpzFile, CompressedIsBytes) {
  const auto source = open(dataPath("2.15/compressed.npz"));
  EXPECT_NE(asBytes(source->description()).find("6 of its 6 arrays are compressed"),
            std::string::npos)
      << asBytes(source->description());
}

/// A tensor of one dimension as torch.save pickles it, of storage 0.
std::string tensorPickle(std::string_view shape, std::string_view stride, char offset = 0) {
  return "\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\n"
         "FloatStorage\nX\x01\0\0\0"
         "0X\x03\0\0\0cpuK\x04tQK"s +
         offset + std::string(shape) + std::string(stride) + "\x89Ntbs."s;
}

class TorchBytes : public ::testing::Test {
 protected:
  const ModelDescription& open(const std::string& bytes, std::string_view name = "m.pt") {
    model_ = strata::open(folder_.write(name, bytes));
    return model_->description();
  }
  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

std::string rebuilt(std::string_view shape, std::string_view stride, char offset = 0) {
  std::string pickle = tensorPickle(shape, stride, offset);
  pickle.replace(pickle.rfind("tbs."), 4, "tRs.");
  return pickle;
}

TEST_F(TorchBytes, AreTypedWhereAllFits) {
  const auto& model = open(torchFile(rebuilt("K\x04\x85", "K\x01\x85"), {std::string(16, 'x')}));
  EXPECT_EQ(tensorNamed(model, "w")->shape, Shape{4});
}

TEST_F(TorchBytes, OfABigEndianMachineAreBytes) {
  const auto& model =
      open(torchFile(rebuilt("K\x04\x85", "K\x01\x85"), {std::string(16, 'x')}, "big"));
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
  EXPECT_NE(asBytes(model).find("big-endian"), std::string::npos);
}

TEST_F(TorchBytes, ThatDoNotFitTheirShapeAreBytes) {
  for (const auto& [shape, stride, offset] :
       std::vector<std::tuple<std::string, std::string, char>>{
           {"K\x05\x85", "K\x01\x85", 0},
           {"K\x04\x85", "K\x01\x85", 1},
           {"K\x04\x85", "K\xFF\x85", 0},
           {"\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x85",
            "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x85", 0}}) {
    const auto& model = open(torchFile(rebuilt(shape, stride, offset), {std::string(16, 'x')}));
    EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
    EXPECT_EQ(model.oddTensors.size(), 1U);
  }
}

TEST_F(TorchBytes, OfAnUnreadablePickleKeepTheirStorages) {
  const auto& model = open(torchFile("\x80\x02I1\n.", {std::string(16, 'x'), "y"}));
  EXPECT_EQ(tensorNamed(model, "data/0")->byteCount, 16U);
  EXPECT_EQ(tensorNamed(model, "data/1")->byteCount, 1U);
  EXPECT_NE(asBytes(model).find("m.pt: data.pkl: byte 2: opcode 0x49"), std::string::npos);
}

/// Lists that hold one list ten times, ten deep: a path to each would be ten thousand million.
TEST_F(TorchBytes, SharedValuesAreSeenOnce) {
  std::string pickle = "\x80\x02]q"s + '\0';
  for (int level = 1; level < 10; ++level) {
    pickle += '(';
    for (int i = 0; i < 10; ++i) pickle += "h"s + static_cast<char>(level - 1);
    pickle += "lq"s + static_cast<char>(level);
  }
  EXPECT_TRUE(open(torchFile(pickle + ".", {})).tensors.empty());
}

TEST_F(TorchBytes, AZipThatIsNoModelIsRefusedUnlessItsNameSaysSo) {
  const std::string zip = test::zipFile({{.name = "a.txt", .bytes = "text"}});
  const auto refused = folder_.open("notes.zip", zip);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("a zip archive in which no tensors are found"),
            std::string::npos);
  EXPECT_EQ(asBytes(open(zip, "model.bin")), "model.bin: it is a zip archive without tensors");
  const std::string torn = zip.substr(0, zip.size() - 1);
  EXPECT_NE(asBytes(open(torn, "model.bin")).find("no end record"), std::string::npos);
}

TEST_F(TorchBytes, OfShardsAreReadByTheirIndex) {
  folder_.write("a.bin", content(dataPath("2.15/weights.pt")));
  folder_.write("b.bin", torchFile(rebuilt("K\x04\x85", "K\x01\x85"), {std::string(16, 'x')}));
  const auto& model = open(R"({"metadata":{},"weight_map":{"0.weight":"a.bin","w":"b.bin"}})",
                           "pytorch_model.bin.index.json");
  EXPECT_EQ(model.files.size(), 3U);
  EXPECT_EQ(tensorNamed(model, "0.weight")->shape, (Shape{4, 3}));
  EXPECT_EQ(tensorNamed(model, "w")->shape, Shape{4});
  EXPECT_EQ(model.format, "pytorch");
  EXPECT_TRUE(openModel(folder_.path()));
  std::filesystem::remove(folder_.path() / "b.bin");
  for (const auto& place : {folder_.path(), folder_.path() / "pytorch_model.bin.index.json"}) {
    const auto missing = openModel(place);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound) << missing.error().message;
  }
}

/// A download without PyTorch's form of the weights leaves its index.
TEST_F(TorchBytes, OfShardsThatWereLeftOutAreNotMissed) {
  folder_.write("c/model.safetensors", safetensorsOf("w", 64));
  folder_.write("c/pytorch_model.bin.index.json",
                R"({"metadata":{},"weight_map":{"w":"pytorch_model-1.bin"}})");
  const auto source = strata::open(folder_.path() / "c");
  EXPECT_EQ(source->description().tensors.size(), 1U);
  folder_.write("c/pytorch_model-1.bin", "not whole");
  EXPECT_TRUE(openModel(folder_.path() / "c"));
}

/// A length of 640 begins with two bytes that begin pickles, too.
TEST_F(TorchBytes, AreNotTakenForThoseOfASafetensorsFile) {
  const std::string file = safetensorsOf("w", 640);
  for (const char* const name : {"weights.bin", "weights.safetensors"}) {
    const auto& model = open(file, name);
    EXPECT_EQ(model.format, "safetensors") << name;
    EXPECT_EQ(model.tensors.size(), 1U) << name;
  }
}

/// The optimizer's file beside the weights of one folder, as transformers writes them.
TEST_F(TorchBytes, OfAFolderStandBesideItsOtherFiles) {
  folder_.write("checkpoint-1/optimizer.pt", content(dataPath("1.13/optimizer.pt")));
  folder_.write("checkpoint-1/pytorch_model.bin", content(dataPath("1.13/weights.pt")));
  folder_.write("checkpoint-1/trainer_state.json", "{}");
  folder_.write("checkpoint-1/notes.zip", test::zipFile({{.name = "a", .bytes = "text"}}));
  const auto source = strata::open(folder_.path() / "checkpoint-1");
  const ModelDescription& model = source->description();
  EXPECT_EQ(model.format, "folder");
  EXPECT_EQ(tensorNamed(model, "state.3.exp_avg")->kind, TensorKind::FirstMoment);
  EXPECT_EQ(tensorNamed(model, "1.bias")->kind, TensorKind::Bias);
  EXPECT_EQ(model.files[0].kind, FileKind::Other) << "an archive of something else";
  EXPECT_EQ(asBytes(model), "");
}

}  // namespace
}  // namespace strata
