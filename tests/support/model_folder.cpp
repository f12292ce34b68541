#include "tests/support/model_folder.h"

#include "onnx_io/model_reader.h"

namespace strata::test {

std::filesystem::path ModelFolder::write(std::string_view name, std::string_view bytes) const {
  std::filesystem::path file = path() / name;
  std::filesystem::create_directories(file.parent_path());
  writeWhole(file, bytes);
  return file;
}

Result<std::unique_ptr<ModelSource>> ModelFolder::open(std::string_view name,
                                                       std::string_view bytes) const {
  return openModel(write(name, bytes));
}

}  // namespace strata::test
