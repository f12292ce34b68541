#include "core/ops/runs/detail/expected_state_files.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "core/model/checkpoint.h"
#include "core/ops/runs/run_versions.h"
#include "core/store/catalog/manifest_summary.h"

namespace strata {
namespace {

/// The number that all names have, as those of "model_20.pt" and "optimizer_20.pt" do.
std::optional<std::uint64_t> commonNumber(const std::set<std::string>& names) {
  std::optional<std::uint64_t> common;
  for (const std::string& name : names) {
    const auto number = numberInName(name);
    if (!number || (common && *common != *number)) return std::nullopt;
    common = number;
  }
  return names.size() > 1 ? common : std::nullopt;
}

/// "optimizer_20.pt" as "optimizer_#.pt".
std::string withoutNumber(std::string name, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t at = name.rfind(digits);
  return at == std::string::npos ? name : name.replace(at, digits.size(), "#");
}

std::string_view fileOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// "step_20/__0_0.distcp" as "step_#/__0_0.distcp": folders that are named by the step.
std::string withoutSteps(const std::string& path) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', begin)) {
    const std::string folder = path.substr(begin, end - begin);
    const auto step = stepOfName(folder);
    out += (step ? withoutNumber(folder, *step) : folder) + "/";
    begin = end + 1;
  }
  return out + path.substr(begin);
}

/// What one rank of torch.distributed writes into a folder: "optimizer_0/__1_*.distcp" for each of
/// its files. Empty for all else.
std::string shardOf(std::string_view path) {
  const std::string_view file = fileOf(path);
  const std::size_t end = file.find('_', 2);
  const bool isOne = file.starts_with("__") && file.ends_with(".distcp") && end != file.npos;
  if (!isOne) return {};
  return std::string(path.substr(0, path.size() - file.size() + end)) + "_*.distcp";
}

/// As DeepSpeed writes one of each rank: without one there is no going on.
bool isModelOfRank(std::string_view path) { return path.ends_with("_model_states.pt"); }

/// Files that training goes on from: those on top, and in any folder what torch.distributed writes.
/// By what they are called in every checkpoint of a run; the values are their names in this one.
std::map<std::string, std::string> stateFilesOf(const std::set<std::string>& paths) {
  std::set<std::string> onTop;
  for (const std::string& path : paths) {
    if (path.find('/') == path.npos) onTop.insert(path);
  }
  const auto common = commonNumber(onTop);
  std::map<std::string, std::string> states;
  for (const std::string& path : paths) {
    const std::string shard = shardOf(path);
    if (!shard.empty() || fileOf(path) == ".metadata") {
      states.emplace(withoutSteps(shard.empty() ? path : shard), path);
    } else if (onTop.contains(path) && (isTrainingState(path) || isModelOfRank(path))) {
      states[common ? withoutNumber(path, *common) : path] = path;
    }
  }
  return states;
}

template <class Files>
std::set<std::string> pathsOf(const Files& files) {
  std::set<std::string> paths;
  for (const auto& file : files) paths.insert(file.path);
  return paths;
}

/// Whether a training that goes on with fewer ranks has none such.
bool isOfRank(const std::string& name) {
  const std::string_view file = fileOf(name);
  const bool isShard = file.ends_with("_*.distcp");
  if (isShard) return !file.starts_with("__0_");
  return name.starts_with("rng_state_") || name.starts_with("random_states_");
}

}  // namespace

Result<std::optional<ExpectedStateFiles::Lack>> ExpectedStateFiles::lackOf(
    const std::string& run, const std::string& place, const ModelDescription& model,
    const std::set<std::string>& listedShards) {
  STRATA_TRY(const auto last, store_.catalog().newest(run));
  if (!last || !readRunVersion(store_, *last).isSnapshot) return std::nullopt;
  const auto manifest = readManifest(store_, last->manifestDigest, last->contentDigest);
  if (!manifest) return std::nullopt;
  auto wanted = stateFilesOf(pathsOf(manifest->files));
  const auto here = stateFilesOf(pathsOf(model.files));
  for (const auto& [name, file] : here) wanted.erase(name);
  for (const std::string& folder : listedShards) {
    const std::string named = withoutSteps(folder);
    std::erase_if(wanted, [&](const auto& one) {
      const std::string_view file = fileOf(one.first);
      return file.ends_with("_*.distcp") && one.first == named + std::string(file);
    });
  }
  const auto isShard = [](const auto& one) {
    return one.first.ends_with(".distcp") || fileOf(one.first) == ".metadata";
  };
  const auto isWholeOptimizer = [&](const auto& one) {
    return !isShard(one) && isOptimizerFile(one.second);
  };
  // A run that writes one file from now on.
  const bool isWhole =
      std::ranges::none_of(here, isShard) && std::ranges::any_of(here, isWholeOptimizer);
  if (isWhole) std::erase_if(wanted, isShard);
  // Each rank writes one; a single process of transformers writes one without a number.
  if (here.contains("rng_state.pth")) {
    std::erase_if(wanted, [](const auto& one) { return one.first.starts_with("rng_state_"); });
  }
  if (wanted.empty()) {
    lacking_.clear();
    return std::nullopt;
  }
  Lack lack{wanted.begin()->second, last->label()};
  std::string all;
  for (const auto& [name, file] : wanted) {
    if (!isOfRank(name)) return lack;
    all += name + "\n";
  }
  lack.mayBeDropped = true;
  std::vector<std::string>& places = lacking_[all];
  const bool isFirst = places.empty() || (places.size() == 1 && places.front() == place);
  if (isFirst) {
    places = {place};
    return lack;
  }
  std::erase(places, place);
  accepted_.insert(accepted_.end(), places.begin(), places.end());
  lacking_.erase(all);
  return std::nullopt;
}

std::vector<std::string> ExpectedStateFiles::takeAccepted() { return std::exchange(accepted_, {}); }

}  // namespace strata
