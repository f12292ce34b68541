#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model_source.h"

namespace strata::test {

/// A model whose files lie in memory: made by tests, without a file format around it.
class MemoryModel final : public ModelSource {
 public:
  struct Weight {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::uint64_t> shape;
    std::string bytes;
  };

  explicit MemoryModel(std::string format = "safetensors");

  /// Adds a file: a header of text, then the weights without a gap, then `tail`. In the order of
  /// their paths.
  void addFile(const std::string& path, const std::string& header,
               const std::vector<Weight>& weights, const std::string& tail = {});

  /// Makes the only file a graph, which uses its weights in `places`, in their order.
  void setPlaces(const std::vector<std::string>& places);
  /// Gives a file permission bits, as keptMode() gives them.
  void setMode(std::size_t file, std::uint32_t mode) { description_.files[file].mode = mode; }

  const ModelDescription& description() const noexcept override { return description_; }
  /// For what tests want said of the model besides.
  ModelDescription& description() noexcept { return description_; }
  std::string bytesOf(std::size_t file) const;

 private:
  ModelDescription description_;
  std::vector<std::unique_ptr<std::string>> files_;
};

/// f32 words around 0 with a fixed seed.
std::string randomFloats(std::size_t count, unsigned seed);
/// The same words; `share` of them moved by about a hundredth.
std::string tunedFloats(const std::string& words, double share, unsigned seed);

/// A model of one file with three weights, `words` words in all.
std::unique_ptr<MemoryModel> makeModel(unsigned seed, std::size_t words = 6000);
/// A fine-tune of it: the first two weights changed, the last the same.
std::unique_ptr<MemoryModel> makeTuned(const MemoryModel& base, unsigned seed, double share = 0.3);

}  // namespace strata::test
