#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hub/generation_lists.h"
#include "hub/s3/s3_claims.h"
#include "hub/s3/s3_client.h"

namespace strata::hub {

/// The lists of a remote in a bucket: `refs/NUMBER` and `pages/NUMBER-SHA256`.
class S3Lists final : public ListPlace {
 public:
  explicit S3Lists(S3Client& client) : client_(client) {}

  /// How writers keep apart, once that is known; before a list is written.
  void setMode(ClaimMode mode);

  std::string nameOf(std::uint64_t number) const override;
  Result<std::vector<ListMark>> list(std::uint64_t from, const std::stop_token& stop) override;
  Result<std::optional<std::string>> read(std::uint64_t number,
                                          const std::stop_token& stop) override;
  Result<std::unique_ptr<WriteTurn>> takeTurn(const std::stop_token& stop) override;
  Result<bool> claim(std::uint64_t number, const std::string& text, const WriteTurn* turn,
                     const std::stop_token& stop) override;
  Result<void> remove(std::uint64_t number, const std::stop_token& stop) override;
  /// What a bucket shows is there.
  Result<void> settle() override { return {}; }
  /// Where writers have a lock alone, one that was too slow may have written over a list.
  bool tagsTell() override { return mode() == ClaimMode::Conditional; }
  Result<std::optional<std::string>> readPage(const RefPage& page,
                                              const std::stop_token& stop) override;
  Result<void> writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                          const std::stop_token& stop) override;
  Result<std::vector<RefPage>> listPages(const std::stop_token& stop) override;
  Result<std::vector<RefPage>> lostPages(const std::vector<RefPage>& pages,
                                         const std::stop_token& stop) override;
  Result<void> removePage(const RefPage& page, const std::stop_token& stop) override;

 private:
  std::optional<ClaimMode> mode();

  S3Client& client_;
  std::mutex mutex_;  // guards mode_
  std::optional<ClaimMode> mode_;
};

}  // namespace strata::hub
