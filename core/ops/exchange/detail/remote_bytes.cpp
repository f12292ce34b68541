#include "core/ops/exchange/detail/remote_bytes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/checked_math.h"
#include "core/progress_meter.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

/// Larger objects are hashed and not kept: they would fill the memory.
constexpr std::uint64_t kMostKept = std::uint64_t{64} << 20U;

class HashingSink final : public ObjectSink {
 public:
  explicit HashingSink(bool keeps) : keeps_(keeps) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    hash_.update(bytes);
    byteCount_ += bytes.size();
    if (keeps_) kept_.insert(kept_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Result<void> restart() override {
    hash_ = Sha256();
    byteCount_ = 0;
    kept_.clear();
    return {};
  }

  bool holds(const RemoteObject& object) {
    return byteCount_ == object.byteCount && hash_.finish() == object.digest;
  }
  std::uint64_t byteCount() const noexcept { return byteCount_; }
  std::span<const std::byte> kept() const noexcept { return kept_; }

 private:
  bool keeps_;
  Sha256 hash_;
  std::uint64_t byteCount_ = 0;
  std::vector<std::byte> kept_;
};

/// What a failure says of the object; nothing if it says something of the remote.
std::optional<std::string> problemOf(const Error& error) {
  if (error.code == ErrorCode::NotFound) return "is missing";
  if (error.code == ErrorCode::CorruptData || error.code == ErrorCode::Io) {
    return "cannot be read: " + error.message;
  }
  return std::nullopt;
}

/// Empty if the object is sound.
Result<std::string> readOne(Transport& remote, const RemoteObject& object,
                            const std::stop_token& stop, const TransferMeter& meter,
                            const ObjectTaker& take) {
  constexpr int kAttempts = 2;
  const bool isTaken = take && object.kind != RemoteObject::Kind::Pack;
  for (int attempt = 1;; ++attempt) {
    HashingSink sink(isTaken && object.byteCount <= kMostKept);
    const Result<void> got = remote.get(object, 0, sink, stop, meter);
    const auto unread = got ? std::string() : problemOf(got.error());
    if (!unread) return fail(got.error());
    if (got && sink.holds(object)) {
      if (!sink.kept().empty()) take(object, sink.kept());
      return std::string();
    }
    if (attempt == kAttempts) return got ? "does not match its hash" : *unread;
    meter(-static_cast<std::int64_t>(sink.byteCount()));
  }
}

}  // namespace

Result<ObjectProblems> readBack(Transport& remote, std::span<const RemoteObject> objects,
                                unsigned parallel, const std::stop_token& stop,
                                const ProgressSink& progress, const ObjectTaker& take) {
  const std::uint64_t totalBytes = std::accumulate(
      objects.begin(), objects.end(), std::uint64_t{0},
      [](std::uint64_t sum, const RemoteObject& one) { return saturatingAdd(sum, one.byteCount); });
  ProgressMeter meter(progress, "verifying", totalBytes);
  std::vector<std::string> found(objects.size());
  const auto results =
      runTransfers(objects.size(), parallel, stop, [&](std::size_t i) -> Result<void> {
        const std::string item = "object " + shortHex(objects[i].digest);
        // Bytes that have to move again count backwards; the sum is modulo 2^64.
        const auto tell = [&](std::int64_t bytes) {
          meter.add(static_cast<std::uint64_t>(bytes), item);
        };
        STRATA_TRY(found[i], readOne(remote, objects[i], stop, tell, take));
        return {};
      });
  meter.finish({});
  for (const Result<void>& result : results) STRATA_TRY(result);
  ObjectProblems problems;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!found[i].empty()) problems.emplace(objects[i].digest, std::move(found[i]));
  }
  return problems;
}

}  // namespace strata
