#include "tests/fuzz/transfer_checks.h"

#include <algorithm>

#include "tests/fuzz/fuzz_target.h"

namespace strata::test {
namespace {

/// Counts what it gets.
class CountingSink final : public ObjectSink {
 public:
  explicit CountingSink(std::uint64_t byteCount) : byteCount_(byteCount) {}
  std::uint64_t byteCount() const noexcept { return byteCount_; }

  Result<void> append(std::span<const std::byte> bytes) override {
    byteCount_ += bytes.size();
    return {};
  }
  Result<void> restart() override {
    byteCount_ = 0;
    return {};
  }

 private:
  std::uint64_t byteCount_;
};

std::string brokenByFetching(Transport& remote, const RemoteObject& object,
                             std::uint64_t firstByte) {
  CountingSink sink(firstByte);
  const auto got = remote.get(object, firstByte, sink, {}, {});
  if (sink.byteCount() > object.byteCount) return "more bytes than the object has";
  if (!got) return brokenBy(got.error());
  return sink.byteCount() == object.byteCount ? "" : "less bytes than the object has, and no error";
}

}  // namespace

std::string brokenByObjects(Transport& remote, const std::vector<RemoteObject>& objects) {
  const auto found = remote.has(objects, {});
  if (!found) return brokenBy(found.error());
  for (const Digest& digest : found->kept) {
    const bool isAsked = std::ranges::any_of(
        objects, [&](const RemoteObject& object) { return object.digest == digest; });
    if (!isAsked) return "has an object that nobody asked for";
  }
  for (const RemoteObject& object : objects) {
    for (const std::uint64_t firstByte : {std::uint64_t{0}, object.byteCount / 2}) {
      std::string wrong = brokenByFetching(remote, object, firstByte);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

}  // namespace strata::test
