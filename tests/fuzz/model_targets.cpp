#include <fmt/format.h>

#include "core/codec/entropy/byte_io.h"
#include "onnx_io/model_reader.h"
#include "onnx_io/torch/optimizer_groups.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/hostile_store.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/support/zip_encoder.h"

namespace strata::test {
namespace {

Files filesOf(const ModelDescription& description) {
  Files files;
  for (const ModelFile& file : description.files) {
    const std::span<const std::byte> bytes = file.bytes.whole();
    files[file.path].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return files;
}

/// Adds a model to a store as a difference to the pair's base and restores it.
std::string brokenByAdding(const SmallPair& pair, const ModelSource& model) {
  const ModelDescription& description = model.description();
  if (const auto tiles = checkTiles(description); !tiles) return tiles.message();
  VersionStore store;
  const auto written = writeVersion(model, pair.baseReader, {}, store.objects, {}, {});
  if (!written) return written.error().message;
  const auto reader = store.open(written->manifestDigest, pair.baseReader);
  if (!reader) return reader.error().message;
  const auto files = restored(**reader);
  if (!files) return files.error().message;
  return *files == filesOf(description) ? "" : "restored files differ";
}

/// Hostile bytes as the file of a model: an ONNX file, a safetensors file or the index of a sharded
/// set, beside files that it may name (`w.bin`, `shard.safetensors`). What opens must keep all
/// promises of a description and come back byte for byte after it was added to a store.
class ModelTarget final : public FuzzTarget {
 public:
  ModelTarget() {
    folder_.write("w.bin", floatBytes(16));
    folder_.write("shard.safetensors", shard());
  }

  std::vector<std::string> seeds() const override {
    const WireMessage external =
        onnxExternalTensor("w", 1, {2, 2}, {{"location", "w.bin"}, {"length", "16"}});
    WireMessage graph;
    graph.message(kNodeField, onnxNode("MatMul", "n", {"x", "w"}, {"y"}))
        .message(kInitializerField, external)
        .message(kInitializerField, onnxRawTensor("v", 1, {4}, floatBytes(4)));
    return {onnxModel(graph).text(), shard(),
            R"({"metadata":{},"weight_map":{"a":"shard.safetensors"}})"};
  }

  std::string broken(std::string_view bytes) override {
    const auto model = folder_.open("model", bytes);
    return model ? brokenByAdding(pair_, **model) : brokenBy(model.error());
  }

 private:
  static std::string shard() {
    return safetensorsFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                           floatBytes(2));
  }

  ModelFolder folder_;
  SmallPair pair_;
};

/// Hostile archives of PyTorch and NumPy. The first byte of an input says what the rest is: '0' a
/// `.pt`, '1' the pickle of one that is sound otherwise, '2' an array of an `.npz`, '3' a `.distcp`
/// whose first lines are its `.metadata`, up to an empty one.
class ArchiveTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    using namespace std::string_literals;
    const std::string tensor =
        "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"
        "0X\x03\0\0\0cpuK\x04tQK\0K\x02K\x02\x86K\x02K\x01\x86\x89NtR"s;
    const std::string map =
        "\x80\x02}(X\x05\0\0\0stateK\x01X\x0C\0\0\0param_groups](}X\x02\0\0\0lr"
        "G\x3F\xC0\0\0\0\0\0\0seX\x01\0\0\0w"s +
        tensor + "u.";
    const std::string array =
        "\x93NUMPY\x01\0\x46\0{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }          \n"s +
        floatBytes(4);
    const std::string metadata =
        "\x80\x02)\x81}X\x0C\0\0\0storage_data}(NN)\x81}(X\x06\0\0\0offsetK\0uX\x01\0\0\0kusb."s;
    return {"0" + torchFile(map, {floatBytes(4)}), "1" + map, "2" + array,
            "3" + metadata + "\n\n" + torchFile("\x80\x02" + tensor + ".", {floatBytes(4)})};
  }

  std::string broken(std::string_view bytes) override {
    const char form = bytes.empty() ? '0' : bytes.front();
    if (!bytes.empty()) bytes.remove_prefix(1);
    std::string file(bytes);
    std::string_view name = "m.pt";
    if (form == '1') file = torchFile(bytes, {floatBytes(4), "rest"});
    if (form == '2') {
      name = "m.npz";
      file = zipFile({{.name = "a.npy", .bytes = file}});
    }
    if (form == '3') {
      name = "__0_0.distcp";
      const std::size_t end = std::min(bytes.find("\n\n"), bytes.size());
      folder_.write(".metadata", bytes.substr(0, end));
      file = bytes.substr(std::min(end + 2, bytes.size()));
    }
    if (const auto groups = readOptimizerGroups(std::as_bytes(std::span(file))); !groups) {
      if (std::string problem = brokenBy(groups.error()); !problem.empty()) return problem;
    }
    const auto place = folder_.write(name, file);
    const auto model = openModel(form == '3' ? folder_.path() : place);
    return model ? brokenByAdding(pair_, **model) : brokenBy(model.error());
  }

 private:
  ModelFolder folder_;
  SmallPair pair_;
};

/// Hostile entries of external data: an ONNX file is made around them. Lines of an input: type,
/// dimensions, location, offset, length of each weight; behind an empty line the data's bytes.
class ExternalTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    return {"1 2 2\nw.bin\n0\n16\n\n" + floatBytes(16),
            "1 4\nw.bin\n16\n16\n1 2 2\nw.bin\n0\n16\n\n" + floatBytes(16),
            "10 4\nsub/w.bin\n4\n8\n1 2\n./w.bin\n\n\n\n" + floatBytes(16),
            "1 4\n../w.bin\n0\n16\n\n" + floatBytes(16)};
  }

  std::string broken(std::string_view bytes) override {
    WireMessage graph;
    int number = 0;
    while (!bytes.empty() && bytes.front() != '\n' && number < kMostWeights) {
      const std::string_view head = line(bytes);
      const std::string_view location = line(bytes);
      const std::string_view offset = line(bytes);
      const std::string_view length = line(bytes);
      graph.message(kInitializerField, weight(number++, head, location, offset, length));
    }
    if (!bytes.empty()) bytes.remove_prefix(1);
    folder_.write("w.bin", bytes);
    folder_.write("sub/w.bin", bytes);
    const auto model = folder_.open("model.onnx", onnxModel(graph).text());
    if (!model) return brokenBy(model.error());
    for (const ModelFile& file : (*model)->description().files) {
      const bool isOurs =
          file.path == "model.onnx" || file.path == "w.bin" || file.path == "sub/w.bin";
      if (!isOurs) return "reads the strange file " + file.path;
    }
    return brokenByAdding(pair_, **model);
  }

 private:
  static constexpr int kMostWeights = 8;

  static std::string_view line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view found = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return found;
  }

  static WireMessage weight(int number, std::string_view head, std::string_view location,
                            std::string_view offset, std::string_view length) {
    std::vector<std::uint64_t> numbers;
    for (const char c : head) {
      if (numbers.empty() || c == ' ') numbers.push_back(0);
      if (c >= '0' && c <= '9') numbers.back() = numbers.back() * 10 + std::uint64_t(c - '0');
    }
    const int type = numbers.empty() ? 0 : static_cast<int>(numbers.front() % 64);
    if (!numbers.empty()) numbers.erase(numbers.begin());
    std::vector<std::pair<std::string, std::string>> entries{{"location", std::string(location)}};
    if (!offset.empty()) entries.emplace_back("offset", offset);
    if (!length.empty()) entries.emplace_back("length", length);
    return onnxExternalTensor(fmt::format("w{}", number), type, std::move(numbers),
                              std::move(entries));
  }

  ModelFolder folder_;
  SmallPair pair_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeArchiveTarget() { return std::make_unique<ArchiveTarget>(); }
std::unique_ptr<FuzzTarget> makeModelTarget() { return std::make_unique<ModelTarget>(); }
std::unique_ptr<FuzzTarget> makeExternalTarget() { return std::make_unique<ExternalTarget>(); }

}  // namespace strata::test
