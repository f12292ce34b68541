#include <fmt/format.h>

#include <cstring>

#include "core/transfer/remote_library.h"
#include "hub/huggingface/hf_search.h"
#include "hub/huggingface/hf_transport.h"
#include "hub/oci/model_pack.h"
#include "hub/oci/oci_transport.h"
#include "hub/s3/s3_transport.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scripted_channel.h"
#include "tests/fuzz/transfer_checks.h"

namespace strata::test {
namespace {

using hub::HttpSettings;

/// Waiting takes no time.
class InstantClock final : public hub::HttpClock {
 public:
  Milliseconds now() override { return now_; }
  void sleep(Milliseconds duration, const std::stop_token&) override { now_ += duration; }

 private:
  Milliseconds now_{0};
};

class TextSource final : public ObjectSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  std::uint64_t byteCount() const noexcept override { return text_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > text_.size() || out.size() > text_.size() - offset) {
      return fail(ErrorCode::Internal, "read beyond an object");
    }
    if (!out.empty()) std::memcpy(out.data(), text_.data() + offset, out.size());
    return {};
  }

 private:
  std::string text_;
};

/// What is exchanged: a version of one small pack, whose bytes are kContent.
constexpr std::string_view kContent = "the bytes of a pack";

Digest hashOf(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

RemoteObject someObject() { return {hashOf(kContent), kContent.size(), RemoteObject::Kind::Pack}; }

RemoteVersion someVersion() {
  RemoteVersion version;
  version.ref.name = "ner";
  version.ref.number = 1;
  version.ref.addedAt = 1'700'000'000;
  version.ref.note = "a note";
  version.ref.contentDigest = hashOf("content");
  version.ref.manifestDigest = hashOf("manifest");
  version.packs = {someObject()};
  version.manifestBytes = 200;
  version.originalBytes = 5000;
  version.format = "onnx";
  version.scores = {{"test", "accuracy", 0.9, 0.8, 100}};
  return version;
}

RefUpdate someUpdate() {
  return {"ner/v1", std::nullopt, toRefText(someVersion()), someVersion().objects()};
}

std::string someIndex() {
  return serializeRefIndex(RefIndex{.refs = {{"ner/v1", toRefText(someVersion())}}}).value();
}

std::string somePage() {
  return fmt::format("{{\"refs\":{{\n\"ner/v1\":{}\n}}}}\n", toRefText(someVersion()));
}

std::string someHead() {
  RefIndex index;
  index.pages = {{7, hashOf(somePage()), somePage().size()}};
  return serializeRefHead(index);
}

PlainSet somePlain() { return {"ner:v1", {{"model.onnx", kContent.size(), hashOf(kContent)}}}; }

/// An input: what is done, then the answers.
std::string script(char action, const std::vector<std::string>& answers) {
  std::string text(1, action);
  for (const std::string& answer : answers) {
    if (text.size() > 1) text += kNextAnswer;
    text += answer;
  }
  return text;
}

std::string ok(std::string_view body) { return fmt::format("200\n\n{}", body); }

/// A server that answers whatever it likes while something is done on a remote there. The first
/// byte says what: 0 refs, 1 probe, 2 objects, 3 put, 4 push, 5 plain files, 6 search.
class TransportTarget : public FuzzTarget {
 public:
  std::string broken(std::string_view input) final {
    if (input.empty()) return {};
    const char action = input.front();
    scriptAnswers(input.substr(1), origin());
    std::string wrong = action == '6' ? search() : act(action, *open());
    if (!wrong.empty()) return wrong;
    return leakedTo().empty() ? "" : "gave credentials away to " + leakedTo();
  }

 protected:
  virtual std::unique_ptr<Transport> open() = 0;
  virtual std::string search() { return {}; }
  /// Where credentials may go; empty: anywhere.
  virtual std::string origin() const = 0;

  HttpSettings settings() {
    HttpSettings settings;
    settings.parallel = 1;
    settings.clock = &clock_;
    return settings;
  }

 private:
  template <typename Outcome>
  static std::string of(const Outcome& outcome) {
    return outcome ? std::string() : brokenBy(outcome.error());
  }

  static std::string act(char action, Transport& remote) {
    const TextSource source{std::string(kContent)};
    switch (action) {
      case '1':
        return of(remote.probe({}));
      case '2':
        return brokenByObjects(remote, {someObject()});
      case '3':
        return of(remote.put(someObject(), source, {}, {}));
      case '4':
        return of(remote.advanceRefs(
            {.updates = {someUpdate()}, .summary = "push ner:v1", .cards = {{"README.md", "x"}}},
            {}));
      case '5':
        return plain(remote, source);
      case '7':
        return brokenByObjects(remote, std::vector<RemoteObject>(20, someObject()));
      default:
        return refs(remote);
    }
  }

  static std::string refs(Transport& remote) {
    const auto listing = remote.readRefs({});
    if (!listing) return brokenBy(listing.error());
    const RemoteLibrary library = RemoteLibrary::from(*listing);
    const std::size_t seen =
        library.versions.size() + library.tags.size() + library.problems.size();
    return seen <= listing->refs.size() ? "" : "more versions than refs";
  }

  static std::string plain(Transport& remote, const ObjectSource& source) {
    const auto plan = remote.planPlain(somePlain(), {});
    if (!plan) return brokenBy(plan.error());
    for (const PlainFile& file : plan->missing) {
      if (file.path != "model.onnx") return "wants the file " + file.path;
      const auto put = remote.putPlain(file, source, {}, {});
      if (!put) return brokenBy(put.error());
    }
    RefPush push;
    push.updates = {someUpdate()};
    push.plain = somePlain();
    return of(remote.advanceRefs(push, {}));
  }

  InstantClock clock_;
};

class HubTarget final : public TransportTarget {
 public:
  std::vector<std::string> seeds() const override {
    const std::string commit = fmt::format(R"({{"sha":"{}"}})", std::string(40, 'c'));
    const std::string oid = toHex(hashOf(kContent));
    const std::string stored =
        fmt::format(R"({{"objects":[{{"oid":"{}","size":{}}}]}})", oid, kContent.size());
    const std::string wanted = fmt::format(
        R"({{"objects":[{{"oid":"{}","actions":{{"upload":{{"href":"https://cdn.example/x",)"
        R"("header":{{"X-A":"b"}}}},"verify":{{"href":"https://hub.example/verify"}}}}}}]}})",
        oid);
    const std::string parts = fmt::format(
        R"({{"objects":[{{"oid":"{}","actions":{{"upload":{{"href":"https://hub.example/done",)"
        R"("header":{{"chunk_size":"10","1":"https://cdn.example/1","2":"https://cdn.example/2"}}}})"
        R"(}}}}]}})",
        oid);
    const std::string file = fmt::format(
        R"([{{"type":"file","path":"model.onnx","size":19,"oid":"{}","lfs":{{"oid":"{}",)"
        R"("size":19}}}}])",
        std::string(40, 'a'), oid);
    const std::string models =
        R"([{"id":"acme/sst2","likes":3,"downloads":9,"tags":["strata","license:mit",)"
        R"("base_model:acme/base"],"lastModified":"2026-03-01T10:00:00.000Z","gated":"auto"}])";
    return {
        script('0', {ok(commit), ok(someIndex())}),
        script('0', {ok(commit), "404\nX-Error-Code: EntryNotFound\n\n"}),
        script('0', {"302\nLocation: https://cdn.example/y\n\n", ok(commit), ok(someIndex())}),
        script('1', {ok(commit), ok(someIndex())}),
        script('2', {ok(stored), ok(commit), ok(kContent), ok(kContent.substr(9))}),
        script('2', {ok(stored), ok(commit), ok(kContent),
                     "206\nContent-Range: bytes 9-18/19\n\n" + std::string(kContent.substr(9))}),
        script('3', {ok(wanted), ok(""), ok("")}),
        script('3', {ok(parts), "200\nETag: \"1\"\n\n", "200\nETag: \"2\"\n\n", ok("{}")}),
        script('4', {ok(commit), ok(someIndex()), ok(R"({"files":[]})"), ok("[]"), ok("{}")}),
        script('5', {ok(commit), ok("[]"), ok(wanted), ok(""), ok(""), ok(commit), ok("{}")}),
        script('5', {ok(commit), ok(file), ok(stored), ok(commit), ok(someIndex()), ok("{}")}),
        script('6', {"200\nLink: <https://hub.example/api/models?p=2>; rel=\"next\"\n\n" + models,
                     ok(models)}),
    };
  }

 protected:
  std::unique_ptr<Transport> open() override {
    return std::make_unique<hub::HfTransport>(settings(), origin(), hub::HfRepository{"acme/m"},
                                              "token-of-mine", true, std::filesystem::path());
  }

  std::string search() override {
    hub::HfSearch index(
        std::make_unique<hub::HfApi>(settings(), origin(), hub::HfRepository{}, "token-of-mine"),
        "acme");
    const auto found = index.find({.words = "sst2", .limit = 5}, {});
    if (!found) return brokenBy(found.error());
    return found->size() <= 50 ? "" : "more models than were asked for";
  }

  std::string origin() const override { return "https://hub.example"; }
};

class S3Target final : public TransportTarget {
 public:
  std::vector<std::string> seeds() const override {
    const std::string marker = ok(R"({"claims":"conditional","format":1})");
    const std::string locks = ok(R"({"claims":"lock","format":1})");
    const auto list = [](std::string_view keys, std::string_view more) {
      return ok(fmt::format("<ListBucketResult>{}{}</ListBucketResult>", keys, more));
    };
    const std::string ref =
        "<Contents><Key>p/refs/00000000000000000007</Key><Size>300</Size></Contents>";
    const std::string hex = toHex(hashOf(kContent));
    const std::string object = fmt::format(
        "<Contents><Key>p/objects/{}/{}</Key><Size>19</Size></Contents>", hex.substr(0, 2), hex);
    return {
        script('0', {list(ref, ""), ok(someIndex()), marker}),
        script('0', {list(ref, ""), ok(someHead()), ok(somePage()), marker}),
        script('0', {list(ref,
                          "<IsTruncated>true</IsTruncated>"
                          "<NextContinuationToken>t</NextContinuationToken>"),
                     list("", ""), ok(someIndex()), marker}),
        script('0', {"404\n\n<Error><Code>NoSuchBucket</Code></Error>"}),
        script('1', {locks}),
        script('2', {"200\nContent-Length: 19\n\n", ok(kContent), ok(kContent)}),
        script('7', {list(object, ""), ok(kContent), ok(kContent), ok(kContent)}),
        script('3', {marker, "404\n\n", "200\n\n"}),
        script('4',
               {marker, list(ref, ""), ok(someIndex()), ok(""), list(ref, ""), ok(someIndex())}),
        script('4', {"404\n\n", ok(""), "412\n\n", ok(""), ok(""), marker, list("", ""), ok(""),
                     list(ref, ""), ok(someIndex())}),
        script('4', {locks, ok(""), list("<Contents><Key>p/lock/1</Key></Contents>", ""),
                     list(ref, ""), ok(someIndex()), ok("")}),
        script('0', {"403\n\n<Error><Code>AccessDenied</Code><Message>no</Message></Error>"}),
        script('0', {"301\nx-amz-bucket-region: eu-west-1\n\n"}),
    };
  }

 protected:
  std::unique_ptr<Transport> open() override {
    auto keys = std::make_unique<hub::AwsKeySource>(
        hub::Credential{.user = "id", .secret = "key-of-mine"},
        [](const std::string&) { return std::string(); }, settings(), "us-east-1");
    auto client = std::make_unique<hub::S3Client>(
        hub::S3Address::parse("s3://models/p", origin(), "us-east-1", "path").value(), "us-east-1",
        std::move(keys), settings());
    return std::make_unique<hub::S3Transport>(std::move(client), std::filesystem::path());
  }

  std::string origin() const override { return "https://s3.example"; }
};

class OciTarget final : public TransportTarget {
 public:
  std::vector<std::string> seeds() const override {
    const hub::RegistryIndex index{RefIndex{{{"ner/v1", toRefText(someVersion())}}}, {}};
    const std::string document = serializeRegistryIndex(index).value();
    const std::string record = hub::recordManifest(someUpdate(), 5);
    const std::string tags =
        fmt::format(R"({{"name":"a","tags":["strata-index","{}"]}})", hub::recordTag(record));
    const std::string indexManifest = ok(hub::indexManifest(document, 5));
    const std::string bearer =
        "401\nWww-Authenticate: Bearer realm=\"https://registry.example/token\",service=\"s\"\n\n";
    return {
        script('0', {ok(tags), indexManifest, ok(document), ok(record)}),
        script('0', {bearer, ok(R"({"token":"abcd","expires_in":300})"), ok(tags), indexManifest,
                     ok(document), ok(record)}),
        script('0', {"200\nLink: </v2/a/tags/list?last=x>; rel=\"next\"\n\n" + tags, ok(tags),
                     indexManifest, ok(document), ok(record)}),
        script('0', {"404\n\n{\"errors\":[{\"code\":\"NAME_UNKNOWN\",\"message\":\"none\"}]}"}),
        script('1', {ok("{}")}),
        script('2', {"200\nContent-Length: 19\n\n", ok(kContent), ok(kContent)}),
        script('3', {"404\n\n", "202\nLocation: /v2/a/blobs/uploads/1\n\n", "201\n\n"}),
        script('4', {ok(R"({"tags":[]})"), "200\n\n", "201\n\n", "201\n\n", ok(tags), indexManifest,
                     ok(document), ok(record), "200\n\n", "201\n\n"}),
        script('5', {ok(hub::modelPackOf(somePlain(), 5).manifest), "200\nContent-Length: 19\n\n",
                     ok(R"({"tags":[]})")}),
    };
  }

 protected:
  std::unique_ptr<Transport> open() override {
    auto client = std::make_unique<hub::OciClient>(
        hub::OciAddress{"https://registry.example", "a"},
        hub::Credential{.user = "me", .secret = "password-of-mine"}, settings());
    return std::make_unique<hub::OciTransport>(std::move(client), hub::OciOptions{});
  }

  // The registry names the server that gives tokens for a password.
  std::string origin() const override { return {}; }
};

}  // namespace

std::unique_ptr<FuzzTarget> makeHubTarget() { return std::make_unique<HubTarget>(); }
std::unique_ptr<FuzzTarget> makeS3Target() { return std::make_unique<S3Target>(); }
std::unique_ptr<FuzzTarget> makeOciTarget() { return std::make_unique<OciTarget>(); }

}  // namespace strata::test
