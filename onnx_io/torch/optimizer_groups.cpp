#include "onnx_io/torch/optimizer_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnx_io/file_contents.h"
#include "onnx_io/torch/torch_archive.h"
#include "onnx_io/torch/torch_tensors.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::size_t kMaxGroups = 10'000;     ///< of all optimizers of a file
constexpr std::size_t kMaxSettingBytes = 128;  ///< of what a setting is called
constexpr std::size_t kMaxNumbers = 100;       ///< of one group
constexpr double kMostSteps = 1e15;            ///< that a double counts one by one

/// Reads the optimizers of an archive. They may share what they hold, so all of them are bounded
/// together.
class GroupReader {
 public:
  explicit GroupReader(const TorchArchive& archive) : archive_(archive), tree_(archive.tree()) {}

  Result<OptimizerGroups> read(const TorchOptimizer& optimizer);

 private:
  /// A number or text as the key of `state`.
  std::string paramName(PickleId id) const {
    if (const auto number = tree_.count(id)) return std::to_string(*number);
    return toUtf8(tree_.text(id), kMaxNameBytes);
  }

  Result<void> countName(std::size_t byteCount);
  Result<OptimizerGroup> readGroup(PickleId id, std::size_t optimizerBytes);
  void addNumbers(std::string_view key, PickleId value, OptimizerGroup& out) const;
  Result<void> readSteps(PickleId state, OptimizerGroups& out);

  const TorchArchive& archive_;
  const PickleTree& tree_;
  std::size_t groupCount_ = 0;
  std::size_t paramCount_ = 0;
  std::size_t stateCount_ = 0;
  std::size_t namesBytes_ = 0;
};

Result<void> GroupReader::countName(std::size_t byteCount) {
  namesBytes_ += byteCount;
  if (namesBytes_ <= kMaxNamesBytes) return {};
  return fail(ErrorCode::Unsupported, "has too many long names of weights");
}

void GroupReader::addNumbers(std::string_view key, PickleId value, OptimizerGroup& out) const {
  const auto add = [&](std::string name, PickleId id) {
    const auto number = archive_.number(id);
    if (number && out.numbers.size() < kMaxNumbers) {
      out.numbers.emplace_back(std::move(name), *number);
    }
  };
  const std::string name = toUtf8(key, kMaxSettingBytes);
  add(name, value);
  for (std::size_t i = 0; i < 8 && tree_.element(value, i) != kNoPickleId; ++i) {
    add(fmt::format("{}.{}", name, i), tree_.element(value, i));
  }
}

Result<OptimizerGroup> GroupReader::readGroup(PickleId id, std::size_t optimizerBytes) {
  OptimizerGroup out;
  const PickleId params = tree_.member(id, "params");
  for (std::size_t i = 0; tree_.element(params, i) != kNoPickleId; ++i) {
    if (++paramCount_ > kMaxTensors) {
      return fail(ErrorCode::Unsupported, fmt::format("has more than {} weights", kMaxTensors));
    }
    out.params.push_back(paramName(tree_.element(params, i)));
    STRATA_TRY(countName(optimizerBytes + out.params.back().size()));
  }
  if (!tree_.is(id, PickleKind::Map)) return out;
  const auto& items = tree_[id].items;
  const std::size_t end = std::min(items.size(), 2 * kMaxNumbers);
  for (std::size_t i = 0; i + 1 < end; i += 2) {
    const std::string_view key = tree_.text(items[i]);
    if (!key.empty() && key != "params") addNumbers(key, items[i + 1], out);
  }
  return out;
}

Result<void> GroupReader::readSteps(PickleId state, OptimizerGroups& out) {
  if (!tree_.is(state, PickleKind::Map)) return {};
  const auto& items = tree_[state].items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (++stateCount_ > kMaxTensors) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("has the state of more than {} weights", kMaxTensors));
    }
    const auto step = archive_.number(tree_.member(items[i + 1], "step"));
    if (!step) continue;
    std::string name = paramName(items[i]);
    STRATA_TRY(countName(name.size()));
    out.steps.insert_or_assign(std::move(name), *step);
  }
  return {};
}

Result<OptimizerGroups> GroupReader::read(const TorchOptimizer& optimizer) {
  OptimizerGroups out;
  out.name = optimizer.name;
  const PickleId groups = tree_.member(optimizer.map, "param_groups");
  for (std::size_t i = 0; tree_.element(groups, i) != kNoPickleId; ++i) {
    if (++groupCount_ > kMaxGroups) {
      return fail(ErrorCode::Unsupported, fmt::format("has more than {} groups", kMaxGroups));
    }
    STRATA_TRY(OptimizerGroup group, readGroup(tree_.element(groups, i), out.name.size()));
    out.groups.push_back(std::move(group));
  }
  STRATA_TRY(readSteps(tree_.member(optimizer.map, "state"), out));
  return out;
}

}  // namespace

std::optional<double> OptimizerGroup::number(std::string_view key) const noexcept {
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const auto& pair) { return pair.first == key; });
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string OptimizerGroups::tensorName(std::string_view param, std::string_view key) const {
  return fmt::format("{}{}state.{}.{}", name, name.empty() ? "" : ".", param, key);
}

std::vector<OptimizerInfo> optimizerInfos(const OptimizerGroups& optimizer) {
  std::vector<OptimizerInfo> infos;
  for (const OptimizerGroup& group : optimizer.groups) {
    OptimizerInfo& info = infos.emplace_back();
    info.rate = group.lr();
    info.beta1 = group.beta1() ? group.beta1() : group.momentum();
    info.beta2 = group.beta2();
    info.epsilon = group.eps();
    info.weightDecay = group.weightDecay();
    info.params = group.params;
    for (const std::string& param : group.params) {
      info.states.push_back(optimizer.tensorName(param, ""));
      const auto step = optimizer.steps.find(param);
      const bool isKnown =
          step != optimizer.steps.end() && step->second >= 1 && step->second < kMostSteps;
      if (isKnown) info.step = static_cast<std::uint64_t>(step->second);
    }
  }
  return infos;
}

Result<std::vector<OptimizerGroups>> readOptimizerGroups(std::span<const std::byte> file) {
  STRATA_TRY(const ZipList list, listZip(file));
  STRATA_TRY(const TorchArchive archive, TorchArchive::open(file, list));
  std::vector<OptimizerGroups> out;
  GroupReader reader(archive);
  for (const TorchOptimizer& optimizer : torchContents(archive.tree()).optimizers) {
    STRATA_TRY(OptimizerGroups groups, reader.read(optimizer));
    out.push_back(std::move(groups));
  }
  return out;
}

}  // namespace strata
