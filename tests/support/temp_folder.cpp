#include "tests/support/temp_folder.h"

#include <fstream>
#include <iterator>

#include "core/io/temp_file.h"

namespace strata::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() : path_(fs::temp_directory_path() / ("strata-test-" + randomName())) {
  fs::create_directories(path_);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string readWhole(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void writeWhole(const fs::path& file, std::string_view bytes) {
  std::error_code ignored;  // objects are read-only
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add, ignored);
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::size_t entryCount(const fs::path& folder) {
  std::error_code status;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator i(folder, status), end; !status && i != end;
       i.increment(status)) {
    ++count;
  }
  return count;
}

}  // namespace strata::test
