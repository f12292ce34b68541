#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/model_source.h"
#include "core/result.h"
#include "tests/support/temp_folder.h"

namespace strata::test {

/// A folder of its own for the files of one test's model; removed at the end.
class ModelFolder {
 public:
  const std::filesystem::path& path() const noexcept { return folder_.path(); }
  /// Writes a file, with the folders it needs; returns where it is.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;

  /// Writes the file and opens it as a model.
  Result<std::unique_ptr<ModelSource>> open(std::string_view name, std::string_view bytes) const;

 private:
  TempFolder folder_;
};

}  // namespace strata::test
