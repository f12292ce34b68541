#include "onnx_io/checkpoint/finished_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "core/crc32.h"
#include "onnx_io/checkpoint/file_wholeness.h"
#include "onnx_io/model_reader.h"
#include "onnx_io/zip/zip_checksums.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/support/zip_encoder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::string littleEndian(std::uint64_t value, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
  return out;
}

/// A zip archive with one entry of four bytes, as far as its ends go.
std::string zipFile() {
  const std::string entry = "PK\x03\x04" + std::string(26, '\0') + "data";
  const std::string directory = "PK\x01\x02" + std::string(42, '\0');
  return entry + directory + "PK\x05\x06" + std::string(8, '\0') +
         littleEndian(directory.size(), 4) + littleEndian(entry.size(), 4) + std::string(2, '\0');
}

std::string weights() {
  return test::safetensorsFile(R"({"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "abcd");
}

constexpr const char* kState = R"({"global_step": 500, "log_history": [{"loss": NaN, "step": 1}]})";

class Checkpoint : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view bytes) {
    folder_.write(where_ + "/" + name, bytes);
  }
  void remove(const std::string& name) { fs::remove(path() / name); }
  fs::path path() const { return folder_.path() / where_; }

  void writeTransformers() {
    write("config.json", "{}");
    write("model.safetensors", weights());
    write("optimizer.pt", zipFile());
    write("scheduler.pt", zipFile());
    write("rng_state.pth", zipFile());
    write("trainer_state.json", kState);
  }
  CheckpointState check() {
    const auto state = checkCheckpoint(path());
    EXPECT_TRUE(state) << state.error().message;
    return state.value_or(CheckpointState{});
  }
  std::string why() { return check().unfinished; }

  test::ModelFolder folder_;
  std::string where_ = "checkpoint-500";
};

TEST_F(Checkpoint, OfTransformersIsFinishedWithItsState) {
  writeTransformers();
  const CheckpointState state = check();
  EXPECT_EQ(state.unfinished, "");
  EXPECT_EQ(state.kind, CheckpointKind::Transformers);
  EXPECT_EQ(state.step, 500U);
  EXPECT_FALSE(state.mayGrow);
}

TEST_F(Checkpoint, OfTransformersIsUnfinishedWithoutAnyOfItsFiles) {
  for (const char* const name : {"model.safetensors", "optimizer.pt", "scheduler.pt",
                                 "rng_state.pth", "trainer_state.json"}) {
    writeTransformers();
    remove(name);
    EXPECT_NE(why(), "") << name;
    fs::remove_all(path());
  }
}

TEST_F(Checkpoint, OfTransformersIsUnfinishedWithAnyOfItsFilesCut) {
  for (const char* const name : {"model.safetensors", "optimizer.pt", "scheduler.pt",
                                 "rng_state.pth", "trainer_state.json"}) {
    writeTransformers();
    const auto size = fs::file_size(path() / name);
    for (const auto kept : {size - 1, size / 2, std::uintmax_t{0}}) {
      writeTransformers();
      fs::resize_file(path() / name, kept);
      EXPECT_NE(why(), "") << name << " cut to " << kept;
    }
  }
}

TEST_F(Checkpoint, OfWeightsAloneIsFinished) {
  writeTransformers();
  for (const char* const name : {"optimizer.pt", "scheduler.pt", "rng_state.pth"}) remove(name);
  EXPECT_EQ(why(), "");
}

TEST_F(Checkpoint, NeedsRandomNumbersOfEachRank) {
  writeTransformers();
  remove("rng_state.pth");
  write("rng_state_0.pth", zipFile());
  EXPECT_EQ(why(), "rng_state_1.pth is not there");
  write("rng_state_2.pth", zipFile());
  EXPECT_EQ(why(), "rng_state_1.pth is not there");
  EXPECT_FALSE(check().isFinished());
  write("rng_state_1.pth", zipFile());
  EXPECT_EQ(why(), "");
  EXPECT_TRUE(check().mayGrow);  // there may be a fourth process
}

TEST_F(Checkpoint, WithTheMarkOfAnUnfinishedOneIsUnfinished) {
  writeTransformers();
  write("checkpoint-is-incomplete.txt", "");
  EXPECT_EQ(why(), "checkpoint-is-incomplete.txt is there");
}

TEST_F(Checkpoint, OfAccelerateNeedsRandomNumbers) {
  where_ = "checkpoint_3";
  write("model.safetensors", weights());
  write("optimizer.bin", zipFile());
  EXPECT_EQ(why(), "random_states_0.pkl is not there");
  write("random_states_1.pkl", "\x80\x04.");
  EXPECT_EQ(why(), "random_states_0.pkl is not there");
  write("random_states_0.pkl", "\x80\x04");
  EXPECT_EQ(why(), "random_states_0.pkl is a pickle that is cut");
  write("random_states_0.pkl", "\x80\x04.");
  const CheckpointState state = check();
  EXPECT_EQ(state.unfinished, "");
  EXPECT_EQ(state.kind, CheckpointKind::Accelerate);
  EXPECT_EQ(state.step, std::nullopt);
}

/// diffusers calls what accelerate saves "checkpoint-500"; trainer_state.json is never there.
TEST_F(Checkpoint, OfAccelerateMayHaveTheNameOfTransformers) {
  write("model.safetensors", weights());
  EXPECT_EQ(check().kind, CheckpointKind::Transformers);
  write("optimizer.bin", zipFile());
  EXPECT_EQ(why(), "random_states_0.pkl is not there");
  write("random_states_0.pkl", zipFile());
  const CheckpointState state = check();
  EXPECT_EQ(state.unfinished, "");
  EXPECT_EQ(state.kind, CheckpointKind::Accelerate);
  EXPECT_EQ(state.step, 500U);
}

/// Until 1.6, torch.save put the bytes of storages behind its pickles.
TEST_F(Checkpoint, OfOldTorchEndsInNoPickle) {
  where_ = "checkpoint_3";
  write("model.safetensors", weights());
  write("random_states_0.pkl", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.storage");
  EXPECT_EQ(why(), "");
}

TEST_F(Checkpoint, OfTorchDistributedNeedsTheFilesThatItsMetadataNames) {
  where_ = "step_40";
  write("__0_0.distcp", zipFile() + zipFile());
  EXPECT_EQ(why(), ".metadata is not there, which is written last");
  write(".metadata", "\x80\x04 x__0_0.distcp y__1_0.distcp .");
  EXPECT_EQ(why(), "__1_0.distcp is not there");
  write("__1_0.distcp", "");
  EXPECT_EQ(why(), "__1_0.distcp is empty");
  write("__1_0.distcp", zipFile());
  write("__2_0.distcp", "");  // of a rank that had nothing to write
  const CheckpointState state = check();
  EXPECT_EQ(state.unfinished, "");
  EXPECT_EQ(state.kind, CheckpointKind::Distributed);
  EXPECT_EQ(state.step, 40U);
}

TEST_F(Checkpoint, OfShardedTrainingIsLookedAtInItsFolders) {
  writeTransformers();
  remove("model.safetensors");
  remove("optimizer.pt");
  write("pytorch_model_fsdp_0/__0_0.distcp", zipFile());
  write("pytorch_model_fsdp_0/.metadata", "\x80\x04 __0_0.distcp .");
  write("optimizer_0/__0_0.distcp", zipFile());
  EXPECT_EQ(why(), "optimizer_0/.metadata is not there, which is written last");
  write("optimizer_0/.metadata", "\x80\x04 __0_0.distcp .");
  EXPECT_EQ(why(), "");
}

TEST_F(Checkpoint, OfTransformersSaysWhatIsWrongWithTheStep) {
  writeTransformers();
  write("trainer_state.json", R"({"global_step": "12"})");
  EXPECT_EQ(check().unfinished,
            R"(trainer_state.json: global_step is "12", expected a whole number)");
  write("trainer_state.json", R"({"global_step": 12)");
  EXPECT_EQ(check().unfinished, "trainer_state.json is cut or damaged");
}

TEST_F(Checkpoint, OfLightningIsOneArchive) {
  where_ = "epoch=3-step=500.ckpt";
  const std::string whole = zipFile();
  folder_.write(where_, whole);
  EXPECT_EQ(check().kind, CheckpointKind::Lightning);
  EXPECT_EQ(check().step, 500U);
  EXPECT_EQ(why(), "");
  for (std::size_t kept = 4; kept < whole.size(); ++kept) {
    folder_.write(where_, whole.substr(0, kept));
    EXPECT_NE(why(), "") << kept;
  }
  folder_.write(where_, std::string(whole.size(), '\0'));
  EXPECT_EQ(why(), "begins with zeros, so it was not written");
}

TEST_F(Checkpoint, OfOneFileHasTheStepInIt) {
  using namespace std::string_literals;
  const std::string pickle = "\x80\x02}X\x0b\x00\x00\x00global_stepK\x07s."s;
  write("last.ckpt", test::torchFile(pickle, {"storage"}));
  write("epoch=1-step=9.ckpt", test::torchFile(pickle, {"storage"}));
  EXPECT_EQ(checkCheckpoint(path() / "last.ckpt")->step, 7U);
  EXPECT_EQ(checkCheckpoint(path() / "epoch=1-step=9.ckpt")->step, 7U);
  write("epoch=1-step=9.ckpt", test::torchFile("\x80\x02}.", {"storage"}));
  EXPECT_EQ(checkCheckpoint(path() / "epoch=1-step=9.ckpt")->step, 9U);
}

/// As torch.load would find out when the training goes on.
TEST_F(Checkpoint, OfOneFileHasAllStoragesThatItNames) {
  std::string whole =
      test::readWhole(fs::path(STRATA_TEST_DATA) / "pytorch" / "1.13" / "weights.pt");
  write("model_1.pt", whole);
  EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished, "");
  const std::string name = "data/0";
  for (std::size_t at = whole.find(name); at != std::string::npos; at = whole.find(name, at + 1)) {
    whole.replace(at, name.size(), "data/z");
  }
  write("model_1.pt", whole);
  EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished,
            "has no storage 0, which its pickle names");
}

/// Of a float storage "0" of four elements, with one tensor of that shape and offset.
std::string tensorOf(const std::string& shape, char offset) {
  using namespace std::string_literals;
  const std::string storage =
      "(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"s + "0X\x03\0\0\0cpuK\x04tQ"s;
  return "\x80\x02"s + "ctorch._utils\n_rebuild_tensor_v2\n("s + storage + "K"s + offset + shape +
         "K\x01\x85\x89NtR."s;
}

/// torch.load reads beyond the end of such a storage.
TEST_F(Checkpoint, OfOneFileHasStoragesThatAreLongEnough) {
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{20}}) {
    write("model_1.pt", test::torchFile(tensorOf("K\x04\x85", 0), {std::string(bytes, 'x')}));
    EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished, "") << bytes;
  }
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{15}}) {
    write("model_1.pt", test::torchFile(tensorOf("K\x04\x85", 0), {std::string(bytes, 'x')}));
    EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished,
              "has " + std::to_string(bytes) + " bytes in storage 0, expected 16");
  }
  // A view that ends behind what the pickle says of the storage.
  write("model_1.pt", test::torchFile(tensorOf("K\x04\x85", 2), {std::string(16, 'x')}));
  EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished,
            "has 16 bytes in storage 0, expected 24");
}

/// PyTorch reads these, too.
TEST_F(Checkpoint, OfOneFileMayHaveStoragesThatAreCompressed) {
  std::string file = test::torchFile(tensorOf("K\x04\x85", 0), {std::string(16, 'x')});
  const auto setMethod = [&](const std::string& mark, std::size_t name, std::size_t method) {
    for (std::size_t at = file.find(mark); at != std::string::npos; at = file.find(mark, at + 1)) {
      const std::size_t end = file.find("data/0", at + name);
      if (end != std::string::npos && end - at < name + 32) file[at + method] = 8;
    }
  };
  setMethod("PK\x01\x02", 46, 10);
  setMethod("PK\x03\x04", 30, 8);
  write("model_1.pt", file);
  EXPECT_EQ(checkCheckpoint(path() / "model_1.pt")->unfinished, "");
}

TEST_F(Checkpoint, OfTextsAloneIsNone) {
  where_ = "version_0";
  write("hparams.yaml", "lr: 1");
  write("events.out.tfevents.17.host", "log");
  EXPECT_EQ(why(), "has no file that may hold a model");
  write("weights.msgpack", "bytes");
  EXPECT_EQ(why(), "");
}

TEST_F(Checkpoint, OfDeepSpeedHasAModel) {
  where_ = "global_step200";
  write("zero_pp_rank_0_mp_rank_00_optim_states.pt", zipFile());
  EXPECT_EQ(why(), "no file of the model is there");
  write("mp_rank_00_model_states.pt", zipFile());
  EXPECT_EQ(why(), "");
}

TEST_F(Checkpoint, IsNotTheFolderAroundOthers) {
  where_ = "version_0";
  write("hparams.yaml", "lr: 1");
  write("checkpoints/epoch=0-step=4.ckpt", zipFile());
  EXPECT_EQ(why(), "");
  write("checkpoints/last.ckpt", zipFile());
  EXPECT_EQ(why(), "holds 2 checkpoints in checkpoints/, and is none itself");
}

TEST_F(Checkpoint, OfPlainFilesIsFinishedWhereEachIsWhole) {
  where_ = "epoch_2";
  write("weights.safetensors", weights());
  write("notes.txt", "");
  EXPECT_EQ(check().kind, CheckpointKind::Plain);
  EXPECT_EQ(why(), "");
  write("weights.safetensors", weights() + "x");
  EXPECT_EQ(why(), "weights.safetensors has 5 bytes of tensors, expected 4");
}

TEST_F(Checkpoint, OfTorchDistributedMayHaveTheNameOfTransformers) {
  where_ = "checkpoint-10";
  write(".metadata", "\x80\x02__0_0.distcp.");
  write("__0_0.distcp", "shard");
  const auto state = checkCheckpoint(path());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->kind, CheckpointKind::Distributed);
  EXPECT_EQ(state->unfinished, "");
}

TEST_F(Checkpoint, IsNoFileThatIsAPartOfOneOrNoModel) {
  write("notes_12.txt", "hi");
  write("optimizer.pt", zipFile());
  write("trainer_state.json", kState);
  write("__0_0.distcp", "shard");
  write("model_12.pt", zipFile());
  for (const char* const name :
       {"notes_12.txt", "optimizer.pt", "trainer_state.json", "__0_0.distcp"}) {
    const auto state = checkCheckpoint(path() / name);
    ASSERT_TRUE(state) << name;
    EXPECT_FALSE(state->isFinished()) << name;
  }
  EXPECT_TRUE(checkCheckpoint(path() / "model_12.pt")->isFinished());
}

TEST_F(Checkpoint, IsDoubtedWhereAnArchiveHasOtherChecksums) {
  // The encoder says 0, which is the checksum of nothing.
  write("optimizer.pt", test::zipFile({{.name = "a/data.pkl", .bytes = ""}}));
  EXPECT_TRUE(checkpointDoubts(path()).empty());
  write("optimizer.pt", test::zipFile({{.name = "a/data.pkl", .bytes = ""},
                                       {.name = "a/data/0", .bytes = "weights"}}));
  const auto doubts = checkpointDoubts(path());
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts.front().find("the bytes of a/data/0"), std::string::npos);
}

TEST(FileWholeness, DoubtsZerosThatBeginWithinARow) {
  const auto file = [](std::size_t zeros) {
    std::string weights(400'000, '\x3f');
    weights.replace(weights.size() - zeros, zeros, zeros, '\0');
    return test::safetensorsFile(
        R"({"w":{"dtype":"F32","shape":[1000,100],"data_offsets":[0,400000]}})", weights);
  };
  const auto doubt = [&](std::size_t zeros) {
    const std::string bytes = file(zeros);
    return doubtfulBecause("model.safetensors", std::as_bytes(std::span(bytes)));
  };
  EXPECT_EQ(doubt(0), "");
  EXPECT_EQ(doubt(200'000), "");  // rows of zeros, as unused words of a vocabulary have
  EXPECT_EQ(doubt(200'002), "");  // and a number before them that ends in zeros
  EXPECT_NE(doubt(200'100).find("200100 bytes are zeros"), std::string::npos);
}

TEST(ZipChecksum, IsTheOneOfArchives) {
  const auto of = [](std::string_view text) { return crc32(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), 0U);
  EXPECT_EQ(of("123456789"), 0xCBF43926U);
  EXPECT_EQ(of("The quick brown fox jumps over the lazy dog"), 0x414FA339U);
}

TEST_F(Checkpoint, ThatIsNotThereIsAnError) {
  const auto state = checkCheckpoint(path());
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ErrorCode::NotFound);
}

TEST_F(Checkpoint, WithoutAnyModelIsOpenedAsBytes) {
  where_ = "step_40";
  write("nested/deep/state.msgpack", "\x83 of another framework");
  write("nested/notes.txt", "step 40");
  EXPECT_FALSE(openModel(path()));
  const auto kept = openModel(path(), Links::Confined, {}, Foreign::Kept);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_TRUE(test::checkTiles((*kept)->description()));
  EXPECT_EQ((*kept)->description().format, "folder");
  ASSERT_EQ((*kept)->description().files.size(), 2U);
  EXPECT_EQ((*kept)->description().files[0].path, "nested/deep/state.msgpack");
}

TEST_F(Checkpoint, OfOneFileIsOpenedAsBytes) {
  const fs::path file = folder_.write("state.msgpack", "\x83 of another framework");
  EXPECT_FALSE(openModel(file));
  const auto kept = openModel(file, Links::Confined, {}, Foreign::Kept);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ((*kept)->description().format, "bytes");
  EXPECT_EQ((*kept)->description().files[0].bytes.size(), 22U);
}

TEST_F(Checkpoint, WithADamagedModelIsNotOpenedAsBytes) {
  writeTransformers();
  fs::resize_file(path() / "model.safetensors", 20);
  EXPECT_FALSE(openModel(path(), Links::Confined, {}, Foreign::Kept));
}

TEST(FileWholeness, KnowsTheWideEndOfLargeArchives) {
  const std::string entry = "PK\x03\x04" + std::string(26, '\0');
  const std::string directory = "PK\x01\x02" + std::string(42, '\0');
  const std::string record = "PK\x06\x06" + std::string(36, '\0') +
                             littleEndian(directory.size(), 8) + littleEndian(entry.size(), 8);
  const std::string locator = "PK\x06\x07" + std::string(4, '\0') +
                              littleEndian(entry.size() + directory.size(), 8) +
                              std::string(4, '\0');
  const std::string end =
      "PK\x05\x06" + std::string(8, '\0') + std::string(8, '\xFF') + std::string(2, '\0');
  const auto broken = [](const std::string& text) {
    return brokenBecause("a.pt", std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(broken(entry + directory + record + locator + end), "");
  EXPECT_NE(broken(entry + record + locator + end), "");
  EXPECT_NE(broken(entry + directory + end), "");
}

}  // namespace
}  // namespace strata
