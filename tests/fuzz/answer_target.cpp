#include "tests/fuzz/answer_target.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/store/ref_folder.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_version.h"
#include "hub/bundle/tar_header.h"
#include "hub/http/url.h"
#include "hub/http/xml_text.h"
#include "hub/oci/oci_auth.h"
#include "hub/serve/byte_range.h"

namespace strata::test {
namespace {

bool refIndex(std::string_view text) {
  const auto index = parseRefIndex(text, "the index");
  if (!index) return true;
  const auto written = serializeRefIndex(*index);
  if (!written) return true;
  const auto again = parseRefIndex(*written, "the index");
  return again && again->refs == index->refs;
}

bool remoteVersion(std::string_view text) {
  const auto version = parseRemoteVersion("model/v2", RefText(text));
  return !version || refNameOf(version->ref) == "model/v2";
}

bool remoteTag(std::string_view text) {
  const auto tag = parseRemoteTag("model/tags/prod", RefText(text));
  return !tag || refNameOf(*tag) == "model/tags/prod";
}

bool versionRef(std::string_view text) {
  const auto ref = parseVersionRef(text);
  return !ref || parseVersionRef(serializeVersionRef(*ref)).has_value();
}

bool xml(std::string_view text) {
  const auto elements = hub::xmlElements(text, "Key");
  return hub::xmlText(text, "Key").size() <= text.size() && elements.size() <= text.size();
}

bool challenge(std::string_view text) {
  const hub::AuthChallenge read = hub::readChallenge(text);
  return read.realm.size() + read.service.size() + read.scope.size() <= 3 * text.size();
}

bool redirect(std::string_view text) {
  const auto url = hub::resolveUrl("https://hub.example/a/b?c=d", std::string(text));
  if (!url) return true;
  const auto origin = hub::originOf(*url);
  return !origin || origin->scheme == "https" || origin->scheme == "http";
}

bool range(std::string_view text) {
  constexpr std::uint64_t kBytes = 1'000'000;
  const hub::AskedRange asked = hub::readRange(text, kBytes);
  if (asked.kind != hub::AskedRange::Kind::Part) return true;
  return asked.range.byteCount > 0 && asked.range.firstByte < kBytes &&
         asked.range.byteCount <= kBytes - asked.range.firstByte;
}

bool tarHeader(std::string_view text) {
  std::array<std::byte, hub::kTarBlockBytes> block{};
  const auto bytes = std::as_bytes(std::span(text));
  std::ranges::copy(bytes.first(std::min(bytes.size(), block.size())), block.begin());
  const auto entry = hub::readTarHeader(block);
  return !entry || entry->name.size() <= 100;
}

using Reader = bool (*)(std::string_view text);
constexpr std::array<Reader, 9> kReaders{refIndex,  remoteVersion, remoteTag, versionRef, xml,
                                         challenge, redirect,      range,     tarHeader};

}  // namespace

bool readsAnswer(std::string_view text) {
  if (text.empty()) return true;
  return kReaders[static_cast<unsigned char>(text[0]) % kReaders.size()](text.substr(1));
}

}  // namespace strata::test
