#pragma once

// What every kind of remote promises (core/transfer/transport.h), tried on one: a folder, or the
// remote that STRATA_TEST_REMOTE and STRATA_TEST_ENDPOINT name. `{}` in the URL becomes a name that
// no other test uses. tests/hub/test_transports.py starts a server of each kind and runs this
// program against it. A new kind of remote gets a case there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "hub/open_transport.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {

using Bytes = std::vector<std::byte>;

inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Bytes that no server has seen before.
inline Bytes freshBytes(std::size_t count) {
  static std::random_device device;
  std::mt19937_64 random((std::uint64_t{device()} << 32U) + device());
  Bytes bytes(count);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

class BytesSource final : public ObjectSource {
 public:
  explicit BytesSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t byteCount() const noexcept override { return bytes_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

class BytesSink final : public ObjectSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Result<void> restart() override {
    bytes_.clear();
    hasRestarted_ = true;
    return {};
  }
  const Bytes& bytes() const { return bytes_; }
  bool hasRestarted() const { return hasRestarted_; }

 private:
  Bytes bytes_;
  bool hasRestarted_ = false;
};

/// Counts what a transfer says of itself. Safe to use from several threads.
struct Meter {
  std::atomic<std::int64_t> moved = 0;
  TransferMeter meter() {
    return [this](std::int64_t bytes) { moved += bytes; };
  }
};

/// A manifest and a pack, as a version has them.
struct Objects {
  Bytes manifest = freshBytes(700);
  Bytes pack = freshBytes(60'000);

  RemoteObject manifestObject() const {
    return {sha256(manifest), manifest.size(), RemoteObject::Kind::ManifestObject};
  }
  RemoteObject packObject() const { return {sha256(pack), pack.size()}; }
  std::vector<RemoteObject> all() const { return {manifestObject(), packObject()}; }
};

inline RefText textOf(const std::string& word) {
  return fmt::format(R"({{"kind":"test","word":"{}"}})", word);
}

class EveryTransport : public ::testing::Test {
 protected:
  void SetUp() override {
    static int count = 0;
    static const unsigned run = std::random_device()();
    config_.name = "remote";
    config_.url = variable("STRATA_TEST_REMOTE");
    config_.endpoint = variable("STRATA_TEST_ENDPOINT");
    if (config_.url.empty()) config_.url = "file://" + (folder_ / "remote").string();
    const std::size_t place = config_.url.find("{}");
    if (place != std::string::npos) {
      config_.url.replace(place, 2, fmt::format("t{:08x}-{}", run, ++count));
    }
    remote_ = connect();
    const auto traits = remote_->probe({});
    ASSERT_TRUE(traits) << traits.error().message;
    traits_ = *traits;
  }

  /// Another program's way there.
  std::unique_ptr<Transport> connect() const {
    auto opened = openTransport(config_, {.stateFolder = folder_ / "state"});
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened.value());
  }

  static void send(Transport& remote, const Objects& objects) {
    const auto put = [&](const RemoteObject& object, const Bytes& bytes) {
      const auto sent = remote.put(object, BytesSource(bytes), {}, {});
      ASSERT_TRUE(sent) << sent.error().message;
    };
    put(objects.manifestObject(), objects.manifest);
    put(objects.packObject(), objects.pack);
  }

  static RefOutcome advance(Transport& remote, const RefPush& push) {
    const auto outcome = remote.advanceRefs(push, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(RefOutcome::Overtaken);
  }

  /// Sends objects and names them by a ref that was not there.
  static void push(Transport& remote, const std::string& name, const Objects& objects) {
    send(remote, objects);
    ASSERT_EQ(advance(remote, {{{name, std::nullopt, textOf(name), objects.all()}}, "push"}),
              RefOutcome::Advanced);
  }

  /// What a program sees that knows nothing.
  RefListing listed() const {
    auto listing = connect()->readRefs({});
    EXPECT_TRUE(listing) << listing.error().message;
    return listing ? std::move(*listing) : RefListing();
  }

  static Result<Bytes> fetched(Transport& remote, const RemoteObject& object,
                               std::uint64_t firstByte = 0) {
    BytesSink sink;
    STRATA_TRY(remote.get(object, firstByte, sink, {}, {}));
    return sink.bytes();
  }

  /// Registries keep one list a tag, and say so: there the later of two pushes wins.
  bool isAtomic() const { return traits_.refs == RefSafety::Atomic; }

  test::TempFolder folder_;
  RemoteConfig config_;
  std::unique_ptr<Transport> remote_;
  TransportTraits traits_;
};

}  // namespace strata::hub
