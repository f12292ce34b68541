#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/ops/exchange/push_versions.h"
#include "core/transfer/remote_library.h"
#include "hub/folder/folder_transport.h"
#include "hub/generation_lists.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/sample_store.h"
#include "tests/fuzz/scripted_channel.h"
#include "tests/fuzz/transfer_checks.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNumber = 7;

std::string pageOf(const RefIndex& index, std::size_t begin, std::size_t end) {
  std::string text = "{\"refs\":{";
  std::size_t at = 0;
  for (const auto& [name, ref] : index.refs) {
    if (at >= begin && at < end) {
      text += fmt::format("{}\n\"{}\":{}", at == begin ? "" : ",", name, ref);
    }
    ++at;
  }
  return text + "\n}}\n";
}

/// The files of a remote in a folder. The first byte says which: 0 is the newest list, 1 the list
/// before it while the newest is damaged. 2 are pages whose hashes fit, 3 the same where the second
/// is lost, 4 a head of the first list's pages. 5 is the marker, 6 an object.
class FolderTarget final : public FuzzTarget {
 public:
  FolderTarget() {
    const auto store = makeSampleStore(folder_ / "store");
    hub::FolderTransport remote(remoteFolder());
    pushVersions(*store, remote, {}, {}, {}).value();
    index_.refs = remote.readRefs({}).value().refs;
    const RemoteLibrary library = RemoteLibrary::from(remote.readRefs({}).value());
    object_ = library.versions.front().objects().back();
    objectFile_ = objectPath();
    marker_ = readWhole(remoteFolder() / "strata.json");
    objectBytes_ = readWhole(objectFile_);
  }

  std::vector<std::string> seeds() const override {
    const std::string list = serializeRefIndex(index_).value();
    const std::size_t half = index_.refs.size() / 2;
    const std::string pages =
        pageOf(index_, 0, half) + kNextAnswer + pageOf(index_, half, index_.refs.size());
    return {"0" + list,
            "1" + list,
            "2" + pages,
            "3" + pages,
            "4" + headOf({pageOf(index_, 0, index_.refs.size())}),
            "5" + marker_,
            "6" + objectBytes_.substr(0, 4000)};
  }

  std::string broken(std::string_view input) override {
    if (input.empty()) return {};
    const char kind = input.front();
    input.remove_prefix(1);
    clear();
    place(kind, input);
    std::string wrong = kind == '6' ? brokenByObject() : brokenByList(kind);
    writeWhole(remoteFolder() / "strata.json", marker_);
    writeWhole(objectFile_, objectBytes_);
    return wrong;
  }

 private:
  fs::path remoteFolder() const { return folder_ / "remote"; }

  fs::path objectPath() const {
    const std::string hex = toHex(object_.digest);
    return remoteFolder() / "objects" / hex.substr(0, 2) / hex;
  }

  void writeList(std::uint64_t number, std::string_view text) const {
    writeWhole(remoteFolder() / "refs" / hub::generationName(number), text);
  }

  void clear() const {
    for (const char* const name : {"refs", "pages"}) {
      fs::remove_all(remoteFolder() / name);
      fs::create_directory(remoteFolder() / name);
    }
  }

  void place(char kind, std::string_view text) const {
    switch (kind) {
      case '1':
        writeList(kNumber - 1, text);
        writeList(kNumber, "damaged");
        return;
      case '2':
      case '3':
        return placePages(text, kind == '3' ? 1 : SIZE_MAX);
      case '4':
        placePages(pageOf(index_, 0, index_.refs.size()), SIZE_MAX);
        return writeList(kNumber, text);
      case '5':
        writeList(kNumber, serializeRefIndex(index_).value());
        return writeWhole(remoteFolder() / "strata.json", text);
      case '6':
        return writeWhole(objectFile_, text);
      default:
        return writeList(kNumber, text);
    }
  }

  static std::string headOf(const std::vector<std::string>& pages) {
    RefIndex head;
    for (const std::string& page : pages) {
      head.pages.push_back({kNumber, sha256(std::as_bytes(std::span(page))), page.size()});
    }
    return serializeRefHead(head);
  }

  /// Pages and the head that names them, but for the one that is lost.
  void placePages(std::string_view text, std::size_t lost) const {
    std::vector<std::string> pages;
    while (true) {
      const std::size_t end = std::min(text.find(kNextAnswer), text.size());
      pages.emplace_back(text.substr(0, end));
      const RefPage page{kNumber, sha256(std::as_bytes(std::span(pages.back())))};
      if (pages.size() - 1 != lost) {
        writeWhole(remoteFolder() / "pages" / hub::pageName(page), pages.back());
      }
      if (end == text.size()) break;
      text.remove_prefix(end + 1);
    }
    writeList(kNumber, headOf(pages));
  }

  /// Whoever reads a list whole can push to it, and then it says all that it said. A repair finds
  /// what can be read.
  std::string brokenByList(char kind) {
    hub::FolderTransport remote(remoteFolder());
    const auto salvaged = remote.salvageRefs({});
    if (!salvaged && !brokenBy(salvaged.error()).empty()) return brokenBy(salvaged.error());
    const auto listing = remote.readRefs({});
    if (!listing) return brokenBy(listing.error());
    if (kind == '1') return "a damaged list was read";
    if (!salvaged || salvaged->refs != listing->refs) return "a repair finds other refs";
    const RemoteLibrary library = RemoteLibrary::from(*listing);
    const std::size_t seen =
        library.versions.size() + library.tags.size() + library.problems.size();
    if (seen > listing->refs.size()) return "more versions than refs";
    return brokenByPush(remote, *listing);
  }

  static std::string brokenByPush(Transport& remote, const RefListing& before) {
    static const RefText kText = R"({"kind":"other"})";
    const auto there = before.refs.find("new/v1");
    RefUpdate update{"new/v1", std::nullopt, kText};
    if (there != before.refs.end()) update.expected = there->second;
    const auto outcome = remote.advanceRefs({.updates = {update}, .summary = "push"}, {});
    if (!outcome) return brokenBy(outcome.error());
    if (*outcome != RefOutcome::Advanced) return "a push was lost to nobody";
    auto expected = before.refs;
    expected["new/v1"] = kText;
    const auto after = remote.readRefs({});
    if (!after) return "after a push: " + after.error().message;
    return after->refs == expected ? "" : "a push changed other refs";
  }

  std::string brokenByObject() const {
    hub::FolderTransport remote(remoteFolder());
    return brokenByObjects(remote, {object_});
  }

  TempFolder folder_;
  RefIndex index_;
  RemoteObject object_;
  fs::path objectFile_;
  std::string marker_;
  std::string objectBytes_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeFolderTarget() { return std::make_unique<FolderTarget>(); }

}  // namespace strata::test
