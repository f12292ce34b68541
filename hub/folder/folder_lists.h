#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hub/generation_lists.h"

namespace strata::hub {

/// The lists of a remote in a folder: `refs/NUMBER`, of which the highest number counts, each made
/// so that only one writer can (hub/folder/ref_files.h), and `pages/NUMBER-SHA256`.
class FolderLists final : public ListPlace {
 public:
  /// The remote's folder.
  explicit FolderLists(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Numbers of all lists, sorted; none where there is no folder of them. Fails with Io.
  Result<std::vector<std::uint64_t>> numbers() const;

  std::string nameOf(std::uint64_t number) const override;
  Result<std::vector<ListMark>> list(std::uint64_t from, const std::stop_token& stop) override;
  Result<std::optional<std::string>> read(std::uint64_t number,
                                          const std::stop_token& stop) override;
  Result<std::unique_ptr<WriteTurn>> takeTurn(const std::stop_token& stop) override;
  Result<bool> claim(std::uint64_t number, const std::string& text, const WriteTurn* turn,
                     const std::stop_token& stop) override;
  Result<void> remove(std::uint64_t number, const std::stop_token& stop) override;
  Result<void> settle() override;
  bool tagsTell() override { return false; }
  Result<std::optional<std::string>> readPage(const RefPage& page,
                                              const std::stop_token& stop) override;
  Result<void> writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                          const std::stop_token& stop) override;
  Result<std::vector<RefPage>> listPages(const std::stop_token& stop) override;
  Result<std::vector<RefPage>> lostPages(const std::vector<RefPage>& pages,
                                         const std::stop_token& stop) override;
  Result<void> removePage(const RefPage& page, const std::stop_token& stop) override;

 private:
  std::filesystem::path pathOf(std::uint64_t number) const;
  std::filesystem::path pathOf(const RefPage& page) const;
  std::filesystem::path folder_;
};

}  // namespace strata::hub
