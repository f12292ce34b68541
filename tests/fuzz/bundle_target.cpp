#include <algorithm>
#include <cstring>

#include "core/ops/exchange/push_versions.h"
#include "core/transfer/remote_library.h"
#include "hub/bundle/bundle_transport.h"
#include "hub/bundle/tar_header.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/sample_store.h"
#include "tests/fuzz/transfer_checks.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

/// A bundle's file. The first byte says whether its headers get the checksums that fit.
class BundleTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    const TempFolder folder;
    const auto store = makeSampleStore(folder / "store");
    auto bundle = hub::BundleTransport::create(folder / "b.strata", false).value();
    pushVersions(*store, *bundle, {}, {}, {}).value();
    const std::string whole = readWhole(folder / "b.strata");
    return {"0" + whole, "1" + whole, "1" + whole.substr(0, hub::kTarBlockBytes * 3)};
  }

  std::string broken(std::string_view input) override {
    if (input.empty()) return {};
    std::string bytes(input.substr(1));
    if (input.front() % 2 != 0) resealHeaders(bytes);
    writeWhole(folder_ / "b.strata", bytes);
    const auto bundle = hub::BundleTransport::open(folder_ / "b.strata");
    if (!bundle) return brokenBy(bundle.error());
    const auto listing = (*bundle)->readRefs({});
    if (!listing) return brokenBy(listing.error());
    for (const RemoteVersion& version : RemoteLibrary::from(*listing).versions) {
      const std::string wrong = brokenByObjects(**bundle, version.objects());
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  /// Sets the sum of each block that a reader takes for a header.
  static void resealHeaders(std::string& bytes) {
    constexpr std::size_t kSumAt = 148;
    constexpr std::size_t kSumBytes = 8;
    for (std::size_t at = 0; at + hub::kTarBlockBytes <= bytes.size();) {
      const auto header = std::span(bytes).subspan(at).first<hub::kTarBlockBytes>();
      if (hub::isTarEnd(std::as_bytes(header))) return;
      std::fill_n(header.begin() + kSumAt, kSumBytes, ' ');
      unsigned sum = 0;
      for (const char c : header) sum += static_cast<unsigned char>(c);
      const auto digits = std::to_array<char>({'0', '0', '0', '0', '0', '0', '\0', ' '});
      std::ranges::copy(digits, header.begin() + kSumAt);
      for (std::size_t i = 6; i-- > 0; sum /= 8) {
        header[kSumAt + i] = static_cast<char>('0' + sum % 8);
      }
      const auto entry = hub::readTarHeader(std::as_bytes(header));
      at += hub::kTarBlockBytes;
      if (!entry || entry->byteCount > bytes.size() - at) return;
      at +=
          (entry->byteCount + hub::kTarBlockBytes - 1) / hub::kTarBlockBytes * hub::kTarBlockBytes;
    }
  }

  TempFolder folder_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeBundleTarget() { return std::make_unique<BundleTarget>(); }

}  // namespace strata::test
