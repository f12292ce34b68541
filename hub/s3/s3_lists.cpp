#include "hub/s3/s3_lists.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
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

}  // namespace

void S3Lists::setMode(ClaimMode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
}

std::optional<ClaimMode> S3Lists::mode() {
  const std::lock_guard lock(mutex_);
  return mode_;
}

std::string S3Lists::nameOf(std::uint64_t number) const {
  return client_.address().url() + '/' + keyOf(number);
}

Result<std::vector<ListMark>> S3Lists::list(std::uint64_t from, const std::stop_token& stop) {
  std::vector<ListMark> found;
  const auto take = [&](const S3Key& key) {
    const std::uint64_t number = generationOf(std::string_view(key.key).substr(kRefs.size()));
    if (number == 0) return;
    found.push_back({number, key.tag});
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

Result<std::optional<std::string>> S3Lists::read(std::uint64_t number,
                                                 const std::stop_token& stop) {
  return client_.read(keyOf(number), kMaxIndexBytes, stop);
}

Result<std::unique_ptr<WriteTurn>> S3Lists::takeTurn(const std::stop_token& stop) {
  if (mode() != ClaimMode::Lock) return nullptr;
  auto turn = std::make_unique<LockedTurn>(client_);
  STRATA_TRY(turn->lock.take(stop));
  return turn;
}

Result<bool> S3Lists::claim(std::uint64_t number, const std::string& text, const WriteTurn* turn,
                            const std::stop_token& stop) {
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

Result<void> S3Lists::remove(std::uint64_t number, const std::stop_token& stop) {
  return client_.remove(keyOf(number), stop);
}

Result<std::optional<std::string>> S3Lists::readPage(const RefPage& page,
                                                     const std::stop_token& stop) {
  return client_.read(keyOf(page), page.byteCount, stop);
}

Result<void> S3Lists::writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                                 const std::stop_token& stop) {
  const auto results = runTransfers(pages.size(), kParallelPages, stop, [&](std::size_t i) {
    return client_.write(keyOf(pages[i].first), pages[i].second, stop);
  });
  for (const Result<void>& result : results) STRATA_TRY(Result<void>(result));
  return {};
}

Result<std::vector<RefPage>> S3Lists::listPages(const std::stop_token& stop) {
  std::vector<RefPage> pages;
  const auto take = [&](const S3Key& key) {
    auto page = pageOfName(std::string_view(key.key).substr(kPages.size()));
    if (page) pages.push_back(*std::move(page));
  };
  STRATA_TRY(client_.list(std::string(kPages), take, stop));
  return pages;
}

Result<std::vector<RefPage>> S3Lists::lostPages(const std::vector<RefPage>& pages,
                                                const std::stop_token& stop) {
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

Result<void> S3Lists::removePage(const RefPage& page, const std::stop_token& stop) {
  return client_.remove(keyOf(page), stop);
}

}  // namespace strata::hub
