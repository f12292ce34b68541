#include "tests/support/memory_model.h"

#include <cstring>
#include <random>

namespace strata::test {
namespace {

std::string headerOf(unsigned seed) {
  return "header of the model with seed " + std::to_string(seed) + "\n";
}

}  // namespace

MemoryModel::MemoryModel(std::string format) {
  description_.format = std::move(format);
  description_.metadata = {{"producer", "tests"}};
}

void MemoryModel::addFile(const std::string& path, const std::string& header,
                          const std::vector<Weight>& weights, const std::string& tail) {
  auto bytes = std::make_unique<std::string>(header);
  const auto index = static_cast<std::uint32_t>(description_.files.size());
  for (const Weight& weight : weights) {
    TensorInfo tensor;
    tensor.name = weight.name;
    tensor.type = weight.type;
    tensor.shape = weight.shape;
    tensor.file = index;
    tensor.offset = bytes->size();
    tensor.byteCount = weight.bytes.size();
    description_.tensors.push_back(std::move(tensor));
    *bytes += weight.bytes;
  }
  *bytes += tail;
  const FileKind kind = weights.empty() ? FileKind::Other : FileKind::Safetensors;
  description_.files.push_back({path, kind, std::as_bytes(std::span(*bytes))});
  files_.push_back(std::move(bytes));
}

void MemoryModel::setPlaces(const std::vector<std::string>& places) {
  description_.files[0].kind = FileKind::Onnx;
  for (std::size_t i = 0; i < places.size(); ++i)
    description_.tensors[i].place = std::string_view(places[i]);
}

std::string MemoryModel::bytesOf(std::size_t file) const { return *files_[file]; }

std::string randomFloats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.05F);
  std::string bytes(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = normal(random);
    std::memcpy(&bytes[i * sizeof(float)], &value, sizeof value);
  }
  return bytes;
}

std::string tunedFloats(const std::string& words, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.0005F);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string bytes = words;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    if (uniform(random) >= share) continue;
    float value = 0;
    std::memcpy(&value, &bytes[i], sizeof value);
    value += normal(random);
    std::memcpy(&bytes[i], &value, sizeof value);
  }
  return bytes;
}

std::unique_ptr<MemoryModel> makeModel(unsigned seed, std::size_t words) {
  const std::size_t half = words / 2 / 10 * 10;
  const std::size_t rest = words - half - 10;
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", headerOf(seed),
                 {{"first.weight", ElementType::F32, {half / 10, 10}, randomFloats(half, seed)},
                  {"second.weight", ElementType::F32, {rest}, randomFloats(rest, seed + 1)},
                  {"third.bias", ElementType::F32, {10}, randomFloats(10, seed + 2)}});
  return model;
}

std::unique_ptr<MemoryModel> makeTuned(const MemoryModel& base, unsigned seed, double share) {
  auto model = std::make_unique<MemoryModel>();
  std::vector<MemoryModel::Weight> weights;
  const ModelDescription& from = base.description();
  const std::string bytes = base.bytesOf(0);
  for (const TensorInfo& tensor : from.tensors) {
    const std::string words = bytes.substr(tensor.offset, tensor.byteCount);
    const bool isLast = &tensor == &from.tensors.back();
    weights.push_back({tensor.name, tensor.type, tensor.shape,
                       isLast ? words : tunedFloats(words, share, seed++)});
  }
  model->addFile("model.safetensors", bytes.substr(0, from.tensors.front().offset), weights);
  return model;
}

}  // namespace strata::test
