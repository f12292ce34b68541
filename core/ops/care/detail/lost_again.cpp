#include "core/ops/care/detail/lost_again.h"

#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/ops/exchange/fetch_remote.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_aside.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class LostNumbers {
 public:
  LostNumbers(const Store& store, const Catalog& catalog)
      : store_(store), catalog_(catalog), refs_(store.refs()) {}

  Result<std::vector<LostAgain>> run() {
    STRATA_TRY(const auto names, refs_.names());
    for (const std::string& name : names) {
      // What lies in the place of a folder of refs is damage that verify names.
      for (const Result<void>& found : {findFiles(name), findTags(name)}) {
        if (!found && found.error().code != ErrorCode::CorruptData) return fail(found.error());
      }
    }
    if (lost_.empty()) return std::vector<LostAgain>();
    STRATA_TRY(std::vector<VersionRef> refs, listed());
    std::vector<LostAgain> found;
    for (VersionRef& ref : refs) STRATA_TRY(addWhole(std::move(ref), found));
    return found;
  }

 private:
  using Number = std::pair<std::string, std::uint32_t>;

  /// Of refs that cannot be read, or were set aside.
  Result<void> findFiles(const std::string& name) {
    for (const Place place : {Place::Live, Place::Trash}) {
      STRATA_TRY(const auto numbers, refs_.versionNumbers(name, place));
      for (const std::uint32_t number : numbers) STRATA_TRY(note({name, number}));
      std::error_code status;
      fs::directory_iterator entry(refs_.versionPath(name, 1, place).parent_path(), status);
      for (; !status && entry != fs::directory_iterator(); entry.increment(status)) {
        const std::string file = entry->path().filename().string();
        const std::uint32_t number = RefFolder::versionOf(nameBeforeAside(file), place);
        if (number != 0) STRATA_TRY(note({name, number}));
      }
    }
    return {};
  }

  Result<void> findTags(const std::string& name) {
    STRATA_TRY(const auto tags, refs_.tagNames(name));
    for (const std::string& tag : tags) {
      const auto ref = refs_.readTag(name, tag);
      if (ref) STRATA_TRY(note({name, ref->number}));
    }
    return {};
  }

  /// Unless the version is here, or another content had its number.
  Result<void> note(const Number& number) {
    for (const Place place : {Place::Live, Place::Trash}) {
      const auto ref = refs_.readVersion(number.first, number.second, place);
      if (ref || !isLost(ref.error().code)) return {};
      STRATA_TRY(const auto known, catalog_.version(number.first, number.second, place));
      if (known) return {};
    }
    lost_.insert(number);
    return {};
  }

  Result<std::vector<VersionRef>> listed() const {
    std::vector<VersionRef> found;
    // One that cannot be read is damage, which verify names.
    const auto remotes = RemoteList::load(store_.folder());
    if (!remotes) return found;
    std::map<Number, VersionRef> named;
    std::map<Number, std::set<Digest>> meant;
    for (const RemoteConfig& remote : remotes->remotes) {
      const auto kept = readFetched(store_.folder(), remote.name);
      if (!kept || !*kept) continue;
      for (const RemoteVersion& version : RemoteLibrary::from((*kept)->listing).versions) {
        const Number number(version.ref.name, version.ref.number);
        if (!lost_.contains(number)) continue;
        meant[number].insert(version.ref.contentDigest);
        named.emplace(number, version.ref);
      }
    }
    for (auto& [number, ref] : named) {
      if (meant.at(number).size() != 1) continue;
      STRATA_TRY(const LastNumber last, refs_.readLastNumber(ref.name));
      if (!last.allows(ref.number, ref.contentDigest)) continue;
      ref.removedAt = 0;
      ref.tags.clear();
      ref.awaited.reset();
      ref.signature.clear();
      found.push_back(std::move(ref));
    }
    return found;
  }

  /// With a manifest of its content that another version has, if there is one with all packs.
  Result<void> addWhole(VersionRef ref, std::vector<LostAgain>& found) const {
    STRATA_TRY(const auto manifests, catalog_.manifestsWithContent(ref.contentDigest));
    for (const Digest& digest : manifests) {
      const auto manifest = readManifest(store_, digest, ref.contentDigest);
      if (!manifest) continue;
      ManifestSummary summary = summarize(*manifest, digest, store_.objects());
      if (!UnnamedManifest{digest, summary}.isWhole()) continue;
      ref.manifestDigest = digest;
      ref.storedBytes = std::accumulate(summary.packBytes.begin(), summary.packBytes.end(),
                                        summary.manifestBytes);
      found.push_back({std::move(ref), std::move(summary)});
      break;
    }
    return {};
  }

  const Store& store_;
  const Catalog& catalog_;
  const RefFolder& refs_;
  std::set<Number> lost_;
};

}  // namespace

Result<std::vector<LostAgain>> lostAgain(const Store& store, const Catalog& catalog) {
  return LostNumbers(store, catalog).run();
}

Result<std::vector<Damage>> damagesOfLost(const Store& store) {
  STRATA_TRY(const auto lost, lostAgain(store, store.catalog()));
  std::vector<Damage> damages;
  for (const LostAgain& one : lost) {
    damages.push_back({.kind = Damage::Kind::Ref,
                       .path = store.refs().versionPath(one.ref.name, one.ref.number),
                       .reason = "is missing; its model is still here",
                       .versions = {one.ref.label()}});
  }
  return damages;
}

}  // namespace strata
