#include "cli/words/model_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/store/refs/reference.h"
#include "core/text/command_words.h"
#include "core/text/model_endings.h"
#include "core/text/natural_order.h"
#include "core/transfer/remote_config.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

bool isNamedAsModel(std::string_view word) {
  return std::any_of(kModelEndings.begin(), kModelEndings.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

/// "runs/tuned.onnx" and "hf://org/tuned@main" are "tuned".
std::string nameOf(std::string_view word) {
  std::string name(word);
  if (isRemoteUrl(word)) {
    name.resize(std::min(name.size(), name.find_first_of("@?#", name.find("://"))));
  } else {
    std::error_code status;
    const fs::path whole = fs::absolute(fs::path(word), status).lexically_normal();
    name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  }
  while (name.ends_with('/')) name.pop_back();
  name.erase(0, name.rfind('/') + 1);
  return std::string(withoutModelEnding(name));
}

}  // namespace

Attempt<NamedModels> readModelWords(const std::string& first, std::vector<std::string> rest) {
  std::error_code status;
  if (rest.empty()) {
    const bool isModel = isRemoteUrl(first) || isNamedAsModel(first) || fs::exists(first, status);
    if (first == kStdin || !isModel) {
      return usage(fmt::format("add: {} is missing", first == kStdin ? "NAME" : "FILE"),
                   "strata help add");
    }
    std::string name = nameOf(first);
    if (!checkName(name)) {
      return usage(fmt::format("{}: gives no name for a version", first),
                   "strata add NAME " + shellPath(first));
    }
    return NamedModels{std::move(name), {first}};
  }
  if (isRemoteUrl(first) || fs::is_regular_file(first, status)) {
    std::string command = "strata add NAME " + shellPath(first);
    for (const std::string& file : rest) command += " " + shellPath(file);
    return usage(fmt::format("{} is a file, and several files need a NAME before them", first),
                 std::move(command));
  }
  const bool isReordered = !std::is_sorted(rest.begin(), rest.end(), comesBefore);
  std::stable_sort(rest.begin(), rest.end(), comesBefore);
  return NamedModels{first, std::move(rest), isReordered};
}

}  // namespace strata::cli
