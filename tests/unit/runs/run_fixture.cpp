#include "tests/unit/runs/run_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "onnx_io/checkpoint/finished_check.h"
#include "onnx_io/model_reader.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWeights = 4096;

/// Weights that move a little with each seed, as in a training.
std::string floats(unsigned seed) {
  std::mt19937 start(1);
  std::mt19937 moved(seed);
  std::string bytes;
  for (std::size_t i = 0; i < kWeights; ++i) {
    const float weight = static_cast<float>(start()) / 4e9F + static_cast<float>(moved()) / 4e13F;
    bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  }
  return bytes;
}

/// An archive as far as its ends go, with `payload` in it.
std::string archive(const std::string& payload) {
  const std::string entry = "PK\x03\x04" + std::string(26, '\0') + payload;
  const std::string directory = "PK\x01\x02" + std::string(42, '\0');
  const auto number = [](std::size_t value) {
    std::string out;
    for (std::size_t i = 0; i < 4; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
    return out;
  };
  return entry + directory + "PK\x05\x06" + std::string(8, '\0') + number(directory.size()) +
         number(entry.size()) + std::string(2, '\0');
}

}  // namespace

RunFixture::RunFixture() {
  fs::create_directory(runFolder());
  tools_ = checkpointTools();
}

fs::path RunFixture::checkpoint(std::uint64_t step) const {
  return runFolder() / fmt::format("checkpoint-{}", step);
}

void RunFixture::writeCheckpoint(std::uint64_t step, unsigned seed) const {
  const fs::path folder = checkpoint(step);
  fs::create_directories(folder / "tokenizer");
  writeWhole(folder / "config.json", "{}");
  writeWhole(folder / "tokenizer" / "vocab.txt", "a b c");
  const std::string header = fmt::format(
      R"({{"w":{{"dtype":"F32","shape":[64,64],"data_offsets":[0,{}]}}}})", 4 * kWeights);
  writeWhole(folder / "model.safetensors", safetensorsFile(header, floats(seed)));
  writeWhole(folder / "optimizer.pt", archive(floats(seed + 1) + floats(seed + 2)));
  writeWhole(folder / "scheduler.pt", archive(fmt::format("scheduler {}", step)));
  writeWhole(folder / "rng_state.pth", archive(fmt::format("random {}", seed)));
  writeWhole(folder / "trainer_state.json",
             fmt::format(R"({{"global_step": {}, "log_history": [{{"loss": 0.5, "step": {}}}]}})",
                         step, step));
}

Result<SnapshotReport> RunFixture::snapshot(std::uint64_t step) {
  return takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = checkpoint(step)}, {}, {});
}

Result<WatchReport> RunFixture::watchOnce(const std::function<void(WatchOptions&)>& change) {
  WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder(), .once = true};
  if (change) change(options);
  WatchCalls calls{.onEvent = [&](const WatchEvent& event) {
    said_.push_back(event.snapshot != nullptr ? event.snapshot->added.version.label() : event.text);
  }};
  return watchFolder(store(), tools_, options, calls, {}, {});
}

void RunFixture::deletePacksOf(const std::string& reference, const std::string& butOf) {
  const auto own = store().catalog().objectsOf(store().resolve(reference)->manifestDigest);
  const auto others = store().catalog().objectsOf(store().resolve(butOf)->manifestDigest);
  ASSERT_TRUE(own && others);
  std::size_t lost = 0;
  for (const CatalogObject& one : *own) {
    const auto isIt = [&](const CatalogObject& other) { return other.digest == one.digest; };
    if (one.isManifest || std::ranges::any_of(*others, isIt)) continue;
    lost += fs::remove(store().objects().pathOf(one.digest)) ? 1 : 0;
  }
  ASSERT_GE(lost, 1U);
}

std::vector<std::string> RunFixture::versions() {
  std::vector<std::string> found;
  const auto listed = store().catalog().versionsOf("run");
  for (const VersionEntry& one : *listed) {
    std::string text = one.label();
    for (const std::string& tag : one.tags) text += " " + tag;
    found.push_back(text);
  }
  return found;
}

std::map<std::string, std::string> filesBelow(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder).generic_string()] = readWhole(entry.path());
  }
  return files;
}

}  // namespace strata::test
