#include "tests/support/model_folder.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <stdexcept>

#include "onnx_io/model_reader.h"

namespace strata::test {

ModelFolder::ModelFolder() {
  static std::atomic<int> count{0};
  path_ = std::filesystem::temp_directory_path() /
          ("strata-model-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  std::filesystem::create_directories(path_);
}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ModelFolder::write(std::string_view name, std::string_view bytes) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  return file;
}

Result<std::unique_ptr<ModelSource>> ModelFolder::open(std::string_view name,
                                                       std::string_view bytes) const {
  return openModel(write(name, bytes));
}

}  // namespace strata::test
