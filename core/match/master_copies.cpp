#include "core/match/master_copies.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>

#include "core/codec/words/cast.h"
#include "core/digest.h"

namespace strata {
namespace {

/// Words that are compared to find a copy, spread over the tensor.
constexpr std::uint64_t kSampledWords = 64;
constexpr std::size_t kHalfBytes = 2;
constexpr std::size_t kFloatBytes = 4;
/// Words that are rounded at a time.
constexpr std::uint64_t kCheckedWords = 16'384;

bool isHalf(const TensorInfo& tensor) noexcept {
  return tensor.type == ElementType::BF16 || tensor.type == ElementType::F16;
}

/// Moments are never copies of weights.
bool isMoment(const TensorInfo& tensor) noexcept {
  return tensor.kind == TensorKind::FirstMoment || tensor.kind == TensorKind::SecondMoment;
}

/// Type, number of words, and a hash of the sample.
using SampleKey = std::tuple<ElementType, std::uint64_t, std::uint64_t>;
using Alike = std::map<SampleKey, std::vector<std::uint32_t>>;

class MasterSearch {
 public:
  explicit MasterSearch(const ModelDescription& model) : model_(model) {}

  std::vector<MasterCopy> run() {
    for (std::uint32_t i = 0; i < model_.tensors.size(); ++i) addHalf(i);
    if (halves_.empty()) return {};
    for (std::uint32_t i = 0; i < model_.tensors.size(); ++i) addFloat(i);
    std::vector<MasterCopy> copies;
    for (const auto& [key, weights] : halves_) {
      const auto masters = floats_.find(key);
      if (masters == floats_.end()) continue;
      const std::size_t count = std::min(weights.size(), masters->second.size());
      for (std::size_t i = 0; i < count; ++i) copies.push_back({weights[i], masters->second[i]});
    }
    std::ranges::sort(copies, {}, &MasterCopy::weights);
    return copies;
  }

 private:
  void addHalf(std::uint32_t index) {
    const TensorInfo& tensor = model_.tensors[index];
    if (!isHalf(tensor) || isMoment(tensor)) return;
    std::array<std::byte, kSampledWords * kHalfBytes> words{};
    const std::uint64_t count = sample(tensor, kHalfBytes, words);
    halves_[keyOf(tensor.type, count, words)].push_back(index);
    types_.insert(tensor.type);
    counts_.insert(count);
  }

  void addFloat(std::uint32_t index) {
    const TensorInfo& tensor = model_.tensors[index];
    const std::uint64_t count = tensor.byteCount / kFloatBytes;
    if (tensor.type != ElementType::F32 || isMoment(tensor) || !counts_.contains(count)) return;
    std::array<std::byte, kSampledWords * kFloatBytes> words{};
    sample(tensor, kFloatBytes, words);
    for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
      if (!types_.contains(type)) continue;
      std::array<std::byte, kSampledWords * kHalfBytes> rounded{};
      castWords(ElementType::F32, words, type, rounded);
      const auto alike = halves_.find(keyOf(type, count, rounded));
      if (alike != halves_.end()) floats_[alike->first].push_back(index);
    }
  }

  /// Words of a tensor at even distances, the last one among them; returns how many it has in all.
  std::uint64_t sample(const TensorInfo& tensor, std::size_t wordBytes,
                       std::span<std::byte> out) const {
    const std::uint64_t count = tensor.byteCount / wordBytes;
    for (std::uint64_t i = 0; i < kSampledWords; ++i) {
      const std::uint64_t word = (count - 1) * i / (kSampledWords - 1);
      model_.files[tensor.file].bytes.copy(tensor.offset + word * wordBytes,
                                           out.subspan(i * wordBytes, wordBytes));
    }
    return count;
  }

  static SampleKey keyOf(ElementType type, std::uint64_t count, std::span<const std::byte> words) {
    return {type, count, xxh3(words)};
  }

  const ModelDescription& model_;
  Alike halves_;
  Alike floats_;
  std::set<ElementType> types_;
  std::unordered_set<std::uint64_t> counts_;  ///< words of the weights of 16 bits
};

}  // namespace

std::vector<MasterCopy> findMasters(const ModelDescription& model) {
  return MasterSearch(model).run();
}

bool isRoundedFrom(const ModelDescription& model, const MasterCopy& copy) {
  const TensorInfo& weights = model.tensors[copy.weights];
  const TensorInfo& master = model.tensors[copy.master];
  const std::uint64_t count = weights.byteCount / kHalfBytes;
  if (master.byteCount != count * kFloatBytes) return false;
  const FileBytes& own = model.files[weights.file].bytes;
  const FileBytes& theirs = model.files[master.file].bytes;
  std::vector<std::byte> words(kCheckedWords * kHalfBytes);
  std::vector<std::byte> floats(kCheckedWords * kFloatBytes);
  std::vector<std::byte> rounded(words.size());
  for (std::uint64_t at = 0; at < count; at += kCheckedWords) {
    const std::uint64_t n = std::min(kCheckedWords, count - at);
    own.copy(weights.offset + at * kHalfBytes, std::span(words).first(n * kHalfBytes));
    theirs.copy(master.offset + at * kFloatBytes, std::span(floats).first(n * kFloatBytes));
    castWords(ElementType::F32, std::span(floats).first(n * kFloatBytes), weights.type,
              std::span(rounded).first(n * kHalfBytes));
    if (std::memcmp(words.data(), rounded.data(), n * kHalfBytes) != 0) return false;
  }
  return true;
}

}  // namespace strata
