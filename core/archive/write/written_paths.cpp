#include "core/archive/write/written_paths.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/model/model_path.h"

namespace strata {

Result<void> checkPaths(const ModelDescription& model) {
  std::vector<std::string_view> paths;
  for (const ModelFile& file : model.files) {
    if (!isModelPath(file.path)) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("\"{}\" is no path inside a model", file.path));
    }
    paths.emplace_back(file.path);
  }
  const std::string_view folder = fileAsFolder(paths);
  if (folder.empty()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is a file of the model and the folder of another one", folder));
}

}  // namespace strata
