#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/store/refs/ref_folder.h"
#include "core/text/json_text.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_version.h"
#include "hub/bundle/tar_header.h"
#include "hub/http/url.h"
#include "hub/http/xml_text.h"
#include "hub/oci/oci_auth.h"
#include "hub/serve/byte_range.h"
#include "tests/fuzz/fuzz_target.h"

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

bool refHead(std::string_view text) {
  const auto index = parseRefHead(text, "the head");
  if (!index || index->pages.empty()) return true;
  const auto again = parseRefHead(serializeRefHead(*index), "the head");
  return again && again->pages.size() == index->pages.size() && index->refs.empty();
}

/// Whatever the bytes are, as if their hash were right.
bool refPage(std::string_view text) {
  const RefPage page{1, sha256(std::as_bytes(std::span(text))), text.size()};
  const auto refs = parseRefPage(text, page, "the page");
  return !refs || !refs->empty();
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

bool isDeeper(const nlohmann::json& value, std::size_t levels) {
  if (!value.is_structured()) return false;
  return levels == 0 || std::ranges::any_of(value, [&](const nlohmann::json& member) {
           return isDeeper(member, levels - 1);
         });
}

/// The guarded reader of JSON reads what the library reads, unless it is nested too deep.
bool jsonText(std::string_view text) {
  constexpr std::size_t kMaxDepth = 64;
  const auto expected = nlohmann::json::parse(text, nullptr, false);
  const auto read = parseJson(text, "the text");
  if (!read) return expected.is_discarded() || isDeeper(expected, kMaxDepth);
  if (*read != expected) return false;
  auto members = nlohmann::json::object();
  auto rest = parseJsonMembers(text, "the text", "refs", [&](const auto& name, const auto& member) {
    members[name] = member;
    return true;
  });
  if (!rest) return rest.error().message.ends_with("more than once");
  if (anyMember(*rest, "refs").is_object()) (*rest)["refs"] = members;
  return *rest == expected;
}

using Reader = bool (*)(std::string_view text);
constexpr std::array kAnswers{
    R"({"format":1,"refs":{"sst2/tags/prod":"{}","sst2/v2":"{\"format\":1}"}})",
    R"({"format":1,"refs":{"sst2/tags/prod":{"a":[1]},"":{},"a":{},"a":{"b":{}}},"":[-1,1e9]})",
    R"({"format":3,"refs":{},"pages":[[7,"00000000000000000000000000000000)"
    R"(00000000000000000000000000000001",9]],"sweep":{"count":1,"doomed":[]}})",
    R"({"refs":{"a/v1":{},"b/v1":{"n":1}}})",
    R"({"format":1,"manifest":{"bytes":812,"sha256":"00"},"model":{"name":"sst2","number":2}})",
    "<List><Key>a&amp;b</Key><Key>&quot;c&quot;&#x41;</Key><Size>12</Size></List>",
    R"(Bearer realm="https://auth.example/token",service="registry",scope="repository:a/b:pull")",
    "../other/%2e%2e/place?x=1#part",
    "//stranger.example:8443/path",
    "bytes=100-2000",
    "bytes=-500",
};

constexpr std::array<Reader, 12> kReaders{refIndex,  remoteVersion, remoteTag, versionRef,
                                          xml,       challenge,     redirect,  range,
                                          tarHeader, jsonText,      refHead,   refPage};

/// A version with every field that a remote can say of one.
RemoteVersion wholeVersion() {
  RemoteVersion version;
  version.ref.name = "model";
  version.ref.number = 2;
  version.parentDigest = Digest{};
  version.packs = {{{}, 512, RemoteObject::Kind::Pack}};
  version.base = BaseElsewhere{{}, "base", "hf://org/base@main", "model.onnx", 90'300'000};
  version.signature = SignaturePlace{{{}, 900, RemoteObject::Kind::Signatures}, 100, 400};
  return version;
}

/// What servers and clients say over the network, as far as one function reads it. The first byte
/// chooses the function.
class AnswerTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    std::vector<std::string> texts(kAnswers.begin(), kAnswers.end());
    texts.push_back(toRefText(wholeVersion()));
    texts.push_back(serializeVersionRef(wholeVersion().ref));
    texts.push_back(toRefText(TagRef{"model", "prod", 2, "passed"}));
    std::vector<std::string> all;
    for (const std::string& text : texts) {
      for (std::size_t i = 0; i < kReaders.size(); ++i) {
        all.push_back(static_cast<char>('0' + i) + text);
      }
    }
    return all;
  }

  std::string broken(std::string_view text) override {
    if (text.empty()) return {};
    const auto reader = static_cast<unsigned char>(text[0]) % kReaders.size();
    return kReaders[reader](text.substr(1)) ? std::string() : fmt::format("reader {}", reader);
  }
};

}  // namespace

std::unique_ptr<FuzzTarget> makeAnswerTarget() { return std::make_unique<AnswerTarget>(); }

}  // namespace strata::test
