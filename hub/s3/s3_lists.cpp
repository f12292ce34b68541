#include "hub/s3/s3_lists.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/transfer/transfer_queue.h"

namespace strata::hub {
namespace {

constexpr std::string_view kRefs = "refs/";
constexpr std::string_view kPages = "pages/";
constexpr std::ptrdiff_t kMostListed = 1024;

std::string keyOf(std::uint64_t number) { return std::string(kRefs) + generationName(number); }
std::string keyOf(const RefPage& page) { return std::string(kPages) + pageName(page); }

bool isOlder(const ListMark& a, const ListMark& b) { return a.number < b.number; }

struct LockedTurn final : WriteTurn {
  explicit LockedTurn(S3Client& client) : lock(client) {}
  S3Lock lock;
};

/// `refs/NUMBER` and `pages/NUMBER-SHA256`.
class S3Lists final : public S3ListPlace {
 public:
  explicit S3Lists(S3Client& client) : client_(client) {}

  void setMode(ClaimMode mode) override {
    const std::lock_guard lock(mutex_);
    mode_ = mode;
  }

  std::string nameOf(std::uint64_t number) const override {
    return client_.address().url() + '/' + keyOf(number);
  }

  Result<std::vector<ListMark>> list(std::uint64_t from, const std::stop_token& stop) override {
    std::vector<ListMark> found;
    const auto take = [&](const S3Key& key) {
      const std::uint64_t number = generationOf(std::string_view(key.key).substr(kRefs.size()));
      if (number == 0) return;
      found.push_back({number, key.etag});
      // Of very many the oldest and the newest are of use.
      if (std::ssize(found) == 4 * kMostListed) {
        std::sort(found.begin(), found.end(), isOlder);
        found.erase(found.begin() + kMostListed, found.end() - kMostListed);
      }
    };
    const std::string after = from > 1 ? keyOf(from - 1) : std::string();
    STRATA_TRY(client_.list(std::string(kRefs), take, stop, after));
    std::sort(found.begin(), found.end(), isOlder);  // as servers should have
    return found;
  }

  Result<std::optional<std::string>> read(std::uint64_t number,
                                          const std::stop_token& stop) override {
    return client_.read(keyOf(number), kMaxIndexBytes, stop);
  }

  Result<std::unique_ptr<WriteTurn>> takeTurn(const std::stop_token& stop) override {
    if (mode() != ClaimMode::Lock) return nullptr;
    auto turn = std::make_unique<LockedTurn>(client_);
    STRATA_TRY(turn->lock.take(stop));
    return turn;
  }

  Result<bool> claim(std::uint64_t number, const std::string& text, const WriteTurn* turn,
                     const std::stop_token& stop) override {
    if (turn != nullptr) {
      if (!static_cast<const LockedTurn*>(turn)->lock.isGood()) return false;
      STRATA_TRY(client_.write(keyOf(number), text, stop));
      return true;
    }
    STRATA_TRY(const S3Client::Created created, client_.create(keyOf(number), text, stop));
    if (created == S3Client::Created::Unsupported) {
      return fail(ErrorCode::Unsupported,
                  client_.address().url() +
                      ": the server has no conditional writes any more; its marker says it has");
    }
    return created == S3Client::Created::Yes;
  }

  Result<void> remove(std::uint64_t number, const std::stop_token& stop) override {
    return client_.remove(keyOf(number), stop);
  }

  Result<std::optional<std::string>> readPage(const RefPage& page,
                                              const std::stop_token& stop) override {
    return client_.read(keyOf(page), page.byteCount, stop);
  }

  Result<void> writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                          const std::stop_token& stop) override {
    const auto results = runTransfers(pages.size(), kParallelPages, stop, [&](std::size_t i) {
      return client_.write(keyOf(pages[i].first), pages[i].second, stop);
    });
    for (const Result<void>& result : results) STRATA_TRY(Result<void>(result));
    return {};
  }

  Result<std::vector<RefPage>> listPages(const std::stop_token& stop) override {
    std::vector<RefPage> pages;
    const auto take = [&](const S3Key& key) {
      auto page = pageOfName(std::string_view(key.key).substr(kPages.size()));
      if (page) pages.push_back(*std::move(page));
    };
    STRATA_TRY(client_.list(std::string(kPages), take, stop));
    return pages;
  }

  Result<std::vector<RefPage>> lostPages(const std::vector<RefPage>& pages,
                                         const std::stop_token& stop) override {
    std::map<std::string, std::uint64_t> sizes;
    const auto take = [&](const S3Key& key) { sizes.insert_or_assign(key.key, key.byteCount); };
    STRATA_TRY(client_.list(std::string(kPages), take, stop));
    std::vector<RefPage> lost;
    for (const RefPage& page : pages) {
      const auto found = sizes.find(keyOf(page));
      if (found == sizes.end() || found->second != page.byteCount) lost.push_back(page);
    }
    return lost;
  }

  Result<void> removePage(const RefPage& page, const std::stop_token& stop) override {
    return client_.remove(keyOf(page), stop);
  }

  /// What a bucket shows is there.
  Result<void> settle() override { return {}; }
  /// Where writers have a lock alone, one that was too slow may have written over a list.
  bool etagsTell() override { return mode() == ClaimMode::Conditional; }

 private:
  std::optional<ClaimMode> mode() {
    const std::lock_guard lock(mutex_);
    return mode_;
  }

  S3Client& client_;
  std::mutex mutex_;  // guards mode_
  std::optional<ClaimMode> mode_;
};

}  // namespace

std::unique_ptr<S3ListPlace> makeS3Lists(S3Client& client) {
  return std::make_unique<S3Lists>(client);
}

}  // namespace strata::hub
