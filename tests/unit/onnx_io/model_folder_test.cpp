#include "tests/support/model_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::checkTiles;
using test::floatBytes;
using test::kInitializerField;
using test::onnxExternalTensor;
using test::onnxModel;
using test::onnxRawTensor;
using test::safetensorsFile;
using test::tensorNamed;
using test::WireMessage;

/// A shard with one tensor of two bytes.
std::string shard(const std::string& name) {
  return safetensorsFile("{\"__metadata__\":{\"format\":\"pt\"},\"" + name +
                             R"(":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
                         "ab");
}

std::string onnxFile(std::string_view weight) {
  return onnxModel(
             WireMessage().message(kInitializerField, onnxRawTensor(weight, 1, {2}, floatBytes(2))))
      .text();
}

class FolderOfModels : public ::testing::Test {
 protected:
  const ModelDescription& open(const std::filesystem::path& path) {
    auto opened = openModel(path);
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(checkTiles(model_->description()));
    return model_->description();
  }
  void expectError(const std::filesystem::path& path, ErrorCode code, std::string_view part) {
    const auto opened = openModel(path);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    EXPECT_NE(opened.error().message.find(part), std::string::npos) << opened.error().message;
  }

  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

TEST_F(FolderOfModels, HoldsAllOfItsFiles) {
  folder_.write("config.json", "{}");
  folder_.write(".gitattributes", "* lfs");
  folder_.write("empty.txt", "");
  folder_.write("onnx/model.onnx", onnxFile("w"));
  folder_.write("model.safetensors", shard("s"));
  folder_.write(".git/HEAD", "ref");
  const auto& model = open(folder_.path());
  EXPECT_EQ(model.format, "folder");
  std::vector<std::string> paths;
  for (const ModelFile& file : model.files) paths.push_back(file.path);
  EXPECT_EQ(paths, (std::vector<std::string>{".gitattributes", "config.json", "empty.txt",
                                             "model.safetensors", "onnx/model.onnx"}));
  EXPECT_EQ(model.files[1].kind, FileKind::Other);
  EXPECT_EQ(model.files[3].kind, FileKind::Safetensors);
  EXPECT_EQ(model.files[4].kind, FileKind::Onnx);
  EXPECT_EQ(tensorNamed(model, "w")->file, 4U);
  EXPECT_EQ(tensorNamed(model, "s")->file, 3U);
  EXPECT_EQ(model.metadata.back(), (std::pair<std::string, std::string>{"skipped", ".git"}));
}

TEST_F(FolderOfModels, LeavesOutAStoreInIt) {
  folder_.write("model.safetensors", shard("a"));
  folder_.write(".strata/store.toml", "format = 1");
  folder_.write(".strata/catalog.sqlite", "catalog");
  folder_.write("sub/.strata/notes.txt", "no store");
  const auto& model = open(folder_.path());
  std::vector<std::string> paths;
  for (const ModelFile& file : model.files) paths.push_back(file.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"model.safetensors", "sub/.strata/notes.txt"}));
  // What the store writes meanwhile is no change of the model.
  folder_.write(".strata/tmp/add.lock", "");
  EXPECT_TRUE(model_->checkUnchanged());
}

TEST_F(FolderOfModels, LeavesOutSecretsAndSaysSo) {
  folder_.write("model.safetensors", shard("a"));
  folder_.write(".env", "TOKEN=1");
  folder_.write(".env.example", "TOKEN=");
  folder_.write("run/.ssh/id_rsa", "key");
  folder_.write("run/tls.pem", "key");
  const ModelDescription& model = open(folder_.path());
  std::vector<std::string> paths;
  for (const ModelFile& file : model.files) paths.push_back(file.path);
  EXPECT_EQ(paths, (std::vector<std::string>{".env.example", "model.safetensors"}));
  std::set<std::string> skipped;
  for (const auto& [key, value] : model.metadata) {
    if (key == "skipped") skipped.insert(value);
  }
  EXPECT_EQ(skipped, (std::set<std::string>{".env", "run/.ssh", "run/tls.pem"}));
}

TEST_F(FolderOfModels, LeavesOutWhatItsIgnoreFileAndTheUserSay) {
  folder_.write("model.safetensors", shard("a"));
  folder_.write("optimizer.pt", "state");
  folder_.write("logs/events.out", "log");
  folder_.write("logs/deep/model.safetensors", shard("b"));
  folder_.write("keep/logs", "a file");
  folder_.write(".env", "TOKEN=1");
  folder_.write(".strataignore", "# training\n\n*.pt\r\nlogs/\n!.env\n");
  const auto pathsOf = [&](const std::vector<std::string>& exclude) {
    const auto opened = openModel(folder_.path(), Links::Confined, exclude);
    EXPECT_TRUE(opened) << opened.error().message;
    std::vector<std::string> paths;
    for (const ModelFile& file : (*opened)->description().files) paths.push_back(file.path);
    EXPECT_TRUE((*opened)->checkUnchanged());
    return paths;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(pathsOf({}), (Paths{".env", ".strataignore", "keep/logs", "model.safetensors"}));
  EXPECT_EQ(pathsOf({"keep/logs", ".*"}), Paths{"model.safetensors"});
  EXPECT_EQ(pathsOf({"!*.pt", "/keep/"}),
            (Paths{".env", ".strataignore", "model.safetensors", "optimizer.pt"}));
  folder_.write(".strataignore", std::string(1'000'001, '#'));
  expectError(folder_.path(), ErrorCode::LimitExceeded, ".strataignore: is 1000001 bytes");
}

TEST_F(FolderOfModels, MayEndInASlashOrBeNamedByALink) {
  folder_.write("m/model.onnx", onnxFile("w"));
  EXPECT_EQ(open(folder_.path() / "m/").files.size(), 1U);
  std::filesystem::create_directory_symlink("m", folder_.path() / "link");
  EXPECT_EQ(open(folder_.path() / "link").files[0].path, "model.onnx");
  EXPECT_EQ(open(folder_.path() / "link").tensors.size(), 1U);
}

TEST_F(FolderOfModels, ResolvesExternalDataBesideEachModel) {
  for (const std::string part : {"a", "b"}) {
    const auto graph = WireMessage().message(
        kInitializerField, onnxExternalTensor(part, 1, {2}, {{"location", "w.bin"}}));
    folder_.write(part + "/model.onnx", onnxModel(graph).text());
    folder_.write(part + "/w.bin", floatBytes(2));
  }
  const auto& model = open(folder_.path());
  ASSERT_EQ(model.files.size(), 4U);
  EXPECT_EQ(model.files[3].kind, FileKind::ExternalData);
  EXPECT_EQ(tensorNamed(model, "a")->file, 1U);
  EXPECT_EQ(tensorNamed(model, "b")->file, 3U);
}

TEST_F(FolderOfModels, MakesOtherLargeFilesOpaque) {
  folder_.write("model.onnx", onnxFile("w"));
  folder_.write("tokenizer.json", std::string(20 << 20, 't'));
  const auto& model = open(folder_.path());
  EXPECT_EQ(tensorNamed(model, "tokenizer.json@0")->byteCount, 16U << 20);
  EXPECT_EQ(tensorNamed(model, "tokenizer.json@16777216")->byteCount, 4U << 20);
}

TEST_F(FolderOfModels, KnowsModelsByTheirContent) {
  folder_.write("pytorch_model.bin", shard("s"));
  folder_.write("model", onnxFile("w"));
  folder_.write("looks_like.bin", safetensorsFile("{\"broken", ""));
  const auto& model = open(folder_.path());
  EXPECT_EQ(model.tensors.size(), 2U);
  EXPECT_EQ(model.files[0].kind, FileKind::Other);
}

TEST_F(FolderOfModels, RefusesAFolderWithoutModels) {
  folder_.write("config.json", "{}");
  expectError(folder_.path(), ErrorCode::Unsupported, "no file of a model among its 1");
}

TEST_F(FolderOfModels, NamesTheFileThatIsBroken) {
  folder_.write("sub/model.safetensors", "short");
  expectError(folder_.path(), ErrorCode::CorruptData, "sub/model.safetensors: file has 5 bytes");
}

TEST_F(FolderOfModels, FollowsLinksToFilesInside) {
  folder_.write("blobs/1", onnxFile("w"));
  std::filesystem::create_symlink("blobs/1", folder_.path() / "model.onnx");
  const auto& model = open(folder_.path());
  ASSERT_EQ(model.files.size(), 2U);
  EXPECT_EQ(model.files[1].bytes.size(), model.files[0].bytes.size());
}

TEST_F(FolderOfModels, RefusesLinksThatLeaveItOrLeadNowhere) {
  test::ModelFolder other;
  folder_.write("model.onnx", onnxFile("w"));
  const auto link = folder_.path() / "link";
  std::filesystem::create_symlink(other.write("secret", "x"), link);
  expectError(folder_.path(), ErrorCode::CorruptData, "link: leads to");
  std::filesystem::remove(link);
  std::filesystem::create_symlink("gone", link);
  expectError(folder_.path(), ErrorCode::NotFound, "link");
  std::filesystem::remove(link);
  std::filesystem::create_directory_symlink("..", link);
  expectError(folder_.path(), ErrorCode::Unsupported, "link: leads to a folder");
  std::filesystem::remove(link);
  std::filesystem::create_directory(folder_.path() / "sub");
  std::filesystem::create_directory_symlink("sub", link);
  expectError(folder_.path(), ErrorCode::Unsupported,
              "link: leads to a folder, expected a link to a file; a line link in");
  folder_.write(".strataignore", "link\n");
  EXPECT_EQ(open(folder_.path()).files.size(), 2U);
}

/// The cache of the Hugging Face client, with one model in one snapshot.
class CachedModel : public FolderOfModels {
 protected:
  CachedModel() {
    const auto graph = WireMessage().message(
        kInitializerField, onnxExternalTensor("w", 1, {2}, {{"location", "model.onnx_data"}}));
    blob("aa", onnxModel(graph).text(), "onnx/model.onnx");
    blob("bb", floatBytes(2), "onnx/model.onnx_data");
    blob("cc", "{}", "config.json");
  }

  void blob(const std::string& hash, const std::string& bytes, const std::string& name) {
    folder_.write("models--org--name/blobs/" + hash, bytes);
    const auto link = snapshot() / name;
    std::filesystem::create_directories(link.parent_path());
    const auto target = folder_.path() / "models--org--name/blobs" / hash;
    std::filesystem::create_symlink(target.lexically_relative(link.parent_path()), link);
  }

  std::filesystem::path snapshot() const {
    return folder_.path() / "models--org--name/snapshots/0123abcd";
  }
};

TEST_F(CachedModel, IsReadFromItsSnapshot) {
  const auto& whole = open(snapshot());
  ASSERT_EQ(whole.files.size(), 3U);
  EXPECT_EQ(whole.files[1].path, "onnx/model.onnx");
  EXPECT_EQ(tensorNamed(whole, "w")->file, 2U);
  EXPECT_EQ(open(snapshot() / "onnx/model.onnx").files.size(), 2U);
  EXPECT_EQ(open(snapshot() / "onnx").files.size(), 2U);
}

TEST_F(CachedModel, LeadsToNoOtherPlaceThanItsBlobs) {
  test::ModelFolder other;
  const auto link = snapshot() / "link";
  for (const auto& target :
       {other.write("secret", "x"), folder_.write("models--org--name/refs/m", "x"),
        folder_.write("models--b/blobs/aa", "x")}) {
    std::filesystem::create_symlink(target, link);
    expectError(snapshot(), ErrorCode::CorruptData, "link: leads to");
    std::filesystem::remove(link);
  }
  // Only the client's layout makes a folder of blobs a part of the model.
  std::filesystem::copy(
      folder_.path() / "models--org--name", folder_.path() / "mine",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  expectError(folder_.path() / "mine/snapshots/0123abcd", ErrorCode::CorruptData, "leads to");
}

TEST_F(CachedModel, IsNotReadAsAWholeCache) {
  expectError(folder_.path() / "models--org--name", ErrorCode::Unsupported, "snapshots/REVISION");
}

TEST_F(FolderOfModels, FollowsLinksThatTheUserVouchesFor) {
  test::ModelFolder other;
  std::filesystem::create_symlink(other.write("far", onnxFile("w")), folder_.path() / "model.onnx");
  const auto opened = openModel(folder_.path(), Links::Followed);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->description().tensors.size(), 1U);
  std::filesystem::create_directory_symlink("..", folder_.path() / "up");
  EXPECT_EQ(openModel(folder_.path(), Links::Followed).error().code, ErrorCode::Unsupported);
}

TEST_F(FolderOfModels, KeepsNamedPathsInsideThoughLinksAreFollowed) {
  for (const std::string location : {"../w.bin", "/etc/passwd", "a/../../w.bin"}) {
    const auto graph = WireMessage().message(
        kInitializerField, onnxExternalTensor("w", 1, {2}, {{"location", location}}));
    const auto refused =
        openModel(folder_.write("model.onnx", onnxModel(graph).text()), Links::Followed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  }
}

TEST_F(FolderOfModels, RefusesWhatIsNeitherFileNorFolder) {
  folder_.write("model.onnx", onnxFile("w"));
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  expectError(folder_.path(), ErrorCode::Unsupported, "pipe: is a fifo");
}

TEST_F(FolderOfModels, LeavesTheStoreInItOut) {
  folder_.write("model.safetensors", shard("a"));
  folder_.write(".strata/store.toml", "format = 1");
  folder_.write(".strata/objects/aa/b", "packed");
  folder_.write(".strata/tmp/add.lock", "");
  folder_.write("settings/store.toml", "of a shop");
  const auto& model = open(folder_.path());
  ASSERT_EQ(model.files.size(), 2U);
  EXPECT_EQ(model.files[0].path, "model.safetensors");
  EXPECT_EQ(model.files[1].path, "settings/store.toml");
}

TEST_F(FolderOfModels, RefusesFileNamesThatAreNotUtf8) {
  folder_.write("model.onnx", onnxFile("w"));
  folder_.write("bad\xFFname", "x");
  expectError(folder_.path(), ErrorCode::Unsupported, "bad\\xffname: file name is not UTF-8");
}

class ShardedSet : public FolderOfModels {
 protected:
  std::filesystem::path writeIndex(const std::string& weightMap) {
    return folder_.write("model.safetensors.index.json",
                         R"({"metadata":{"total_size":4},"weight_map":)" + weightMap + "}");
  }
};

TEST_F(ShardedSet, OpensIndexAndShards) {
  folder_.write("m-1.safetensors", shard("a"));
  folder_.write("m-2.safetensors", shard("b"));
  folder_.write("unrelated.txt", "x");
  const auto& model = open(writeIndex(R"({"a":"m-1.safetensors","b":"m-2.safetensors"})"));
  EXPECT_EQ(model.format, "safetensors");
  ASSERT_EQ(model.files.size(), 3U);
  EXPECT_EQ(model.files[0].path, "m-1.safetensors");
  EXPECT_EQ(model.files[2].kind, FileKind::Other);
  EXPECT_EQ(model.tensors.size(), 2U);
  EXPECT_EQ(model.metadata.size(), 1U);
}

TEST_F(ShardedSet, NamesAMissingShard) {
  expectError(writeIndex(R"({"a":"m-1.safetensors"})"), ErrorCode::NotFound, "m-1.safetensors");
}

TEST_F(ShardedSet, HasAllItsShardsInAFolder) {
  folder_.write("m-1.safetensors", shard("a"));
  writeIndex(R"({"a":"m-1.safetensors","b":"m-2.safetensors"})");
  expectError(folder_.path(), ErrorCode::NotFound, "names m-2.safetensors, which is not in the");
  folder_.write("m-2.safetensors", shard("b"));
  EXPECT_EQ(open(folder_.path()).tensors.size(), 2U);
  folder_.write("other.safetensors.index.json", "no JSON");
  EXPECT_EQ(open(folder_.path()).files.size(), 4U);
}

/// Such a weight would be missed only when the model is loaded.
TEST_F(ShardedSet, HasAllTensorsThatItsIndexNames) {
  folder_.write("m-1.safetensors", shard("a"));
  folder_.write("m-2.safetensors", shard("b"));
  const auto index =
      writeIndex(R"({"a":"m-1.safetensors","b":"m-2.safetensors","c":"m-2.safetensors"})");
  for (const auto& path : {index, folder_.path()}) {
    expectError(path, ErrorCode::NotFound,
                "names the tensor c, which is not in m-2.safetensors; the model is not whole");
  }
  // Held by another shard than the index says, it is not found, either.
  writeIndex(R"({"a":"m-2.safetensors","b":"m-2.safetensors"})");
  expectError(index, ErrorCode::NotFound, "names the tensor a");
}

TEST_F(ShardedSet, RefusesShardsOutsideOfItsFolder) {
  for (const std::string name : {"../m.safetensors", "/etc/passwd", ""}) {
    expectError(writeIndex("{\"a\":\"" + name + "\"}"), ErrorCode::CorruptData, "names '");
    if (!name.empty()) {
      folder_.write("m-1.safetensors", shard("a"));
      expectError(folder_.path(), ErrorCode::CorruptData,
                  "names '" + name + "', expected a relative path inside");
    }
  }
}

/// Not "no ONNX or safetensors file": the index says what is missing.
TEST_F(ShardedSet, SaysWhatItsIndexNamesWhereNothingElseIsThere) {
  writeIndex(R"({"a":"../m-1.safetensors"})");
  expectError(folder_.path(), ErrorCode::CorruptData,
              "names '../m-1.safetensors', expected a relative path inside");
}

TEST_F(ShardedSet, RefusesABrokenIndex) {
  expectError(writeIndex("{\"a\":1}"), ErrorCode::CorruptData, "holds a number");
  expectError(writeIndex("{\"a\":[\"x\"]}"), ErrorCode::CorruptData, "holds a list");
  expectError(writeIndex("[\"x\"]"), ErrorCode::CorruptData, "weight_map is a list");
  expectError(writeIndex("{}"), ErrorCode::CorruptData, "names no file");
  expectError(writeIndex("{"), ErrorCode::CorruptData, "malformed");
  expectError(writeIndex(std::string(10'000, '[')), ErrorCode::CorruptData, "index.json: ");
}

}  // namespace
}  // namespace strata
