#include "core/transfer/transfer_queue.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

namespace strata {
namespace {

bool endsAll(ErrorCode code) noexcept {
  return code != ErrorCode::NotFound && code != ErrorCode::CorruptData;
}

}  // namespace

std::vector<Result<void>> runTransfers(std::size_t count, unsigned parallel,
                                       const std::stop_token& stop,
                                       const std::function<Result<void>(std::size_t)>& transfer) {
  std::vector<Result<void>> results(count);
  std::mutex mutex;  // guards next and ended
  std::size_t next = 0;
  std::optional<Error> ended;
  const auto work = [&] {
    for (;;) {
      std::size_t index = 0;
      {
        const std::scoped_lock lock(mutex);
        if (next == count) return;
        index = next++;
        if (!ended && stop.stop_requested()) ended = Error{ErrorCode::Cancelled, "cancelled"};
        if (ended) {
          results[index] = fail(*ended);
          continue;
        }
      }
      results[index] = transfer(index);
      if (!results[index] && endsAll(results[index].error().code)) {
        const std::scoped_lock lock(mutex);
        if (!ended) ended = results[index].error();
      }
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t threadCount = std::min<std::size_t>(std::max(parallel, 1U), count);
  for (std::size_t i = 1; i < threadCount; ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return results;
}

}  // namespace strata
