#include "core/ops/care/detail/lost_again.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/ops/exchange/fetch_remote.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_aside.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class LostNumbers {
 public:
  explicit LostNumbers(const StoreWriter& writer) : writer_(writer), refs_(writer.store().refs()) {}

  Result<std::vector<VersionRef>> run() {
    STRATA_TRY(const auto names, refs_.names());
    for (const std::string& name : names) {
      STRATA_TRY(findFiles(name));
      STRATA_TRY(findTags(name));
    }
    if (lost_.empty()) return std::vector<VersionRef>();
    return listed();
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
      STRATA_TRY(const auto known, writer_.catalog().version(number.first, number.second, place));
      if (known) return {};
    }
    lost_.insert(number);
    return {};
  }

  Result<std::vector<VersionRef>> listed() const {
    std::vector<VersionRef> found;
    // One that cannot be read is damage, which verify names.
    const auto remotes = RemoteList::load(writer_.store().folder());
    if (!remotes) return found;
    std::map<Number, VersionRef> named;
    std::map<Number, std::set<Digest>> meant;
    for (const RemoteConfig& remote : remotes->remotes) {
      const auto kept = readFetched(writer_.store().folder(), remote.name);
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

  const StoreWriter& writer_;
  const RefFolder& refs_;
  std::set<Number> lost_;
};

}  // namespace

Result<std::vector<VersionRef>> lostAgain(const StoreWriter& writer) {
  return LostNumbers(writer).run();
}

}  // namespace strata
