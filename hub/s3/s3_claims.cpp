#include "hub/s3/s3_claims.h"

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "core/io/temp_file.h"

namespace strata::hub {
namespace {

using std::chrono::milliseconds;

/// A writer that has not written by then gives up; one that is silent for longer is taken for dead.
constexpr milliseconds kWriteLimit{20'000};
constexpr milliseconds kDeadAfter{60'000};
constexpr milliseconds kWaitLimit{300'000};
/// Waits that are over by then are nothing to tell of.
constexpr milliseconds kTellAfter{2'000};
constexpr const char* kLocks = "lock/";

milliseconds randomWait() {
  thread_local std::mt19937 random{std::random_device{}()};
  return milliseconds(std::uniform_int_distribution<int>(50, 500)(random));
}

}  // namespace

std::string_view name(ClaimMode mode) noexcept {
  return mode == ClaimMode::Conditional ? "conditional" : "lock";
}

Result<ClaimMode> probeClaims(S3Client& client, const std::stop_token& stop) {
  const std::string key = "probe/" + randomName();
  STRATA_TRY(const S3Client::Created first, client.create(key, "probe", stop));
  if (first != S3Client::Created::Yes) return ClaimMode::Lock;
  const auto second = client.create(key, "probe", stop);
  STRATA_TRY(client.remove(key, stop));
  if (!second) return fail(second.error());
  return *second == S3Client::Created::Existed ? ClaimMode::Conditional : ClaimMode::Lock;
}

S3Lock::~S3Lock() {
  // Also when the operation was stopped: others need not wait until it counts as dead.
  if (!key_.empty()) static_cast<void>(client_.remove(key_, {}));
}

bool S3Lock::isGood() const noexcept {
  return !key_.empty() && client_.http().settings().clock->now() - takenAt_ < kWriteLimit;
}

/// True if ours is the only one. Of two writers at once each sees the other's, and both go back.
Result<bool> S3Lock::tryOnce(const std::stop_token& stop) {
  takenAt_ = client_.http().settings().clock->now();
  const std::string key = kLocks + randomName();
  STRATA_TRY(client_.write(key, "strata", stop));
  key_ = key;
  bool isAlone = true;
  STRATA_TRY(client_.list(
      kLocks, [&](const S3Key& found) { isAlone = isAlone && found.key == key_; }, stop));
  if (isAlone) return true;
  STRATA_TRY(client_.remove(key_, stop));
  key_.clear();
  return false;
}

Result<void> S3Lock::take(const std::stop_token& stop) {
  HttpClock& clock = *client_.http().settings().clock;
  const milliseconds begin = clock.now();
  std::map<std::string, milliseconds> seen;  // locks of others, and since when
  bool isTold = false;
  while (clock.now() - begin < kWaitLimit) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    std::set<std::string> held;
    STRATA_TRY(client_.list(
        kLocks, [&](const S3Key& found) { held.insert(found.key); }, stop));
    for (const std::string& key : held) seen.emplace(key, clock.now());
    for (const auto& [key, since] : seen) {
      if (held.contains(key) && clock.now() - since > kDeadAfter) {
        STRATA_TRY(client_.remove(key, stop));
        held.erase(key);
      }
    }
    if (held.empty()) {
      STRATA_TRY(const bool isOurs, tryOnce(stop));
      if (isOurs) return {};
    }
    if (!isTold && client_.http().settings().onWait && clock.now() - begin > kTellAfter) {
      isTold = true;
      client_.http().settings().onWait(
          client_.address().url() + ": another program pushes there, or died while it did",
          std::chrono::duration_cast<std::chrono::seconds>(kWaitLimit));
    }
    clock.sleep(randomWait(), stop);
  }
  return fail(ErrorCode::StoreLocked,
              fmt::format("s3://{}: other writers hold the lock", client_.address().bucket));
}

}  // namespace strata::hub
