#include "tests/fuzz/model_target.h"

#include <iostream>

#include "tests/support/model_checks.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata::test {
namespace {

bool complain(std::string_view what) {
  std::cerr << "model: " << what << '\n';
  return false;
}

Files filesOf(const ModelDescription& description) {
  Files files;
  for (const ModelFile& file : description.files) {
    const std::span<const std::byte> bytes = file.bytes;
    files[file.path].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return files;
}

}  // namespace

ModelTarget::ModelTarget() {
  folder_.write("w.bin", floatBytes(16));
  folder_.write(
      "shard.safetensors",
      safetensorsFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", floatBytes(2)));
}

bool ModelTarget::keepsPromises(std::span<const std::byte> bytes) const {
  const auto model =
      folder_.open("model", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!model) {
    return model.error().code != ErrorCode::Internal || complain(model.error().message);
  }
  const ModelDescription& description = (*model)->description();
  if (const auto tiles = checkTiles(description); !tiles) return complain(tiles.message());

  VersionStore store;
  const auto written = writeVersion(**model, pair_.baseReader, {}, store.objects, {}, {});
  if (!written) return complain(written.error().message);
  const auto reader = store.open(written->manifestDigest, pair_.baseReader);
  if (!reader) return complain(reader.error().message);
  const auto files = restored(**reader);
  if (!files) return complain(files.error().message);
  return *files == filesOf(description) || complain("restored files differ");
}

}  // namespace strata::test
