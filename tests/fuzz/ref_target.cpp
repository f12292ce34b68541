#include <fmt/format.h>

#include <array>

#include "core/digest.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/asked_remotes.h"
#include "core/store/objects/object_hold.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/refs/reference.h"
#include "core/store/store_lock.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

/// A text as a ref file keeps it, with the checksum that fits.
std::string sealed(std::string_view body) {
  return fmt::format("{{\"checksum\":\"{:016x}\",\"ref\":{}}}\n",
                     xxh3(std::as_bytes(std::span(body))), body);
}

VersionRef someRef() {
  VersionRef ref;
  ref.name = "ner";
  ref.number = 3;
  ref.addedAt = 1'700'000'000;
  ref.note = "a note";
  ref.contentDigest = sha256({});
  ref.manifestDigest = ref.contentDigest;
  ref.signature = "sig";
  ref.probe = 77;
  ref.tags = {TagRef{.name = "ner", .tag = "prod", .number = 3, .note = "best", .taggedAt = 5}};
  ref.awaited = AwaitedPacks{"origin", "ner:v2", {100, 200}};
  return ref;
}

RefChange someChange() {
  RefChange change{.versions = {someRef()}};
  change.tags = change.versions.front().tags;
  change.erasedTags = {TagRef{"ner", "old", 2, "", 4}};
  change.operation = R"({"kind":"remove"})";
  return change;
}

/// What stands behind `"ref":` of a ref file.
std::string bodyOf(std::string_view file) {
  const std::size_t begin = file.find("\"ref\":") + 6;
  return std::string(file.substr(begin, file.size() - begin - 2));
}

/// The small files of a store. The first byte says which one is read.
class RefTarget final : public FuzzTarget {
 public:
  RefTarget() {
    std::filesystem::create_directories(folder_ / "partial");
    std::filesystem::create_directories(folder_ / "remotes");
    std::filesystem::create_directories(folder_ / "refs/ner/tags");
    std::filesystem::create_directories(folder_ / "tmp");
  }

  std::vector<std::string> seeds() const override {
    const VersionRef ref = someRef();
    const std::string version = serializeVersionRef(ref);
    const std::string tag = serializeTagRef(ref.tags.front());
    const std::string digest = toHex(ref.contentDigest);
    return {"0" + bodyOf(version),
            "1" + bodyOf(tag),
            "2" + version,
            "3" + tag,
            "4" + bodyOf(version),
            "5" + bodyOf(serializeTagRef({"ner", "last", 9, "x"})),
            "6" + digest + "\n" + digest + "\n",
            "712\nlab\n1700000000\nstrata add\n",
            "8" + bodyOf(serializeRefChange(someChange())),
            "9" + bodyOf(serializeTagRef({"ner", "was", 1, "pos"})),
            R"(a{"fetched_at":5,"index":"{\"format\":1,\"refs\":{}}","revision":"r"})",
            R"(b{"":{"sst2":{}},".url-0":{"ner":{"3":"0123456789abcdef"}}})"};
  }

  std::string broken(std::string_view text) override {
    if (text.empty()) return {};
    const char kind = text.front();
    text.remove_prefix(1);
    switch (kind) {
      case '0':
        return version(sealed(text));
      case '1':
        return tag(sealed(text));
      case '2':
        return version(text);
      case '3':
        return tag(text);
      case '4':
      case '5':
        return storeFiles(kind == '4' ? "v3.json" : "last.json", sealed(text));
      case '6':
        return hold(text);
      case '7':
        writeWhole(folder_ / "lock", text);
        readLock(folder_ / "lock");
        return {};
      case '8':
        return change(sealed(text));
      case '9':
        return renamed(sealed(text));
      case 'b':
        return asked(fmt::format("{{\"check\":\"{}\",\"places\":{}}}",
                                 toHex(sha256(std::as_bytes(std::span(text)))), text));
      default:
        return fetched(text);
    }
  }

 private:
  static std::string version(std::string_view text) {
    const auto ref = parseVersionRef(text);
    if (!ref) return brokenBy(ref.error());
    const auto again = parseVersionRef(serializeVersionRef(*ref));
    return again && *again == *ref ? "" : "a version's ref is not read back";
  }

  static std::string tag(std::string_view text) {
    const auto ref = parseTagRef(text);
    if (!ref) return brokenBy(ref.error());
    const auto again = parseTagRef(serializeTagRef(*ref));
    return again && *again == *ref ? "" : "a tag's ref is not read back";
  }

  /// In its place, where names and numbers count, too.
  std::string storeFiles(const char* file, std::string_view text) {
    writeWhole(folder_ / "refs/ner" / file, text);
    const RefFolder refs(folder_.path());
    const auto version = refs.readVersion("ner", 3);
    if (version && version->label() != "ner:v3") return "a ref of another version";
    const auto last = refs.readLastNumber("ner");
    if (!version && !brokenBy(version.error()).empty()) return brokenBy(version.error());
    return last ? std::string() : brokenBy(last.error());
  }

  std::string hold(std::string_view text) {
    writeWhole(folder_ / "partial/9.hold", text);
    const auto held = HeldObjects::collect(folder_.path(), {});
    return held ? std::string() : brokenBy(held.error());
  }

  /// What a writer finds that died while it changed several refs.
  std::string change(std::string_view text) {
    const auto parsed = parseRefChange(text);
    if (parsed) {
      const std::string written = serializeRefChange(*parsed);
      const auto again = parseRefChange(written);
      if (!again || serializeRefChange(*again) != written) return "a change is not read back";
      for (const auto* tags : {&parsed->tags, &parsed->erasedTags}) {
        for (const TagRef& tag : *tags) {
          if (!checkName(tag.name) || !checkTag(tag.tag)) return "a tag that is no name of a file";
        }
      }
    }
    const RefFolder refs(folder_.path());
    writeWhole(refs.changePath(), text);
    std::string wrong;
    if (const auto pending = pendingChange(refs, objects_); !pending) {
      wrong = brokenBy(pending.error());
    }
    static_cast<void>(isOver(refs));
    std::filesystem::remove(refs.changePath());
    return wrong;
  }

  /// What a writer finds that died while it renamed.
  std::string renamed(std::string_view text) {
    const RefFolder refs(folder_.path());
    writeWhole(refs.formerNamePath("ner"), text);
    const auto former = refs.readFormerName("ner");
    std::filesystem::remove(refs.formerNamePath("ner"));
    if (!former) return brokenBy(former.error());
    return former->empty() || checkName(*former) ? "" : "was " + *former;
  }

  std::string fetched(std::string_view text) {
    writeWhole(folder_ / "remotes/origin.json", text);
    const auto listing = readFetched(folder_.path(), "origin");
    return listing ? std::string() : brokenBy(listing.error());
  }

  std::string asked(std::string_view text) {
    writeWhole(AskedRemotes::fileOf(folder_.path()), text);
    const auto read = AskedRemotes::load(folder_.path());
    if (!read) return brokenBy(read.error());
    static_cast<void>(read->nextFor("ner", 1, Digest{}));
    if (!read->save(folder_.path())) return "numbers of remotes cannot be written";
    const auto again = AskedRemotes::load(folder_.path());
    return again && *again == *read ? "" : "numbers of remotes are not read back";
  }

  TempFolder folder_;
  ObjectFolder objects_{folder_.path()};
};

}  // namespace

std::unique_ptr<FuzzTarget> makeRefTarget() { return std::make_unique<RefTarget>(); }

}  // namespace strata::test
