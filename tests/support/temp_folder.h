#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace strata::test {

/// A folder of one test's own, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The whole file; empty if there is none.
std::string readWhole(const std::filesystem::path& file);
void writeWhole(const std::filesystem::path& file, std::string_view bytes);

/// How many files and folders lie under a folder, at any depth.
std::size_t entryCount(const std::filesystem::path& folder);

}  // namespace strata::test
