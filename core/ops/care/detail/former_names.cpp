#include "core/ops/care/detail/former_names.h"

#include <filesystem>

#include "core/ops/exchange/fetch_remote.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_aside.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"

namespace strata {

bool hasLostVersion(const RefFolder& refs, const TagRef& tag) {
  std::error_code status;
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto file = refs.versionPath(tag.name, tag.number, place);
    for (const auto& one : {file, std::filesystem::path(file.string() + kAsideEnd)}) {
      const auto found = std::filesystem::symlink_status(one, status);
      if (found.type() != std::filesystem::file_type::not_found) return false;
    }
  }
  return true;
}

Result<FormerNames> FormerNames::find(const Store& store, const StoreWriter& writer,
                                      const std::set<Digest>& contents) {
  FormerNames names(store, writer);
  if (contents.empty()) return names;
  names.findListed(contents);
  STRATA_TRY(names.findTagged(contents));
  return names;
}

std::optional<VersionRef> FormerNames::take(const Digest& content) {
  const auto found = found_.find(content);
  if (found == found_.end()) return std::nullopt;
  VersionRef ref = std::move(found->second);
  found_.erase(found);
  const Number number(ref.name, ref.number);
  const bool serves = listed_.contains(content) ? isFreeForListed(number) : isFree(number);
  return serves ? std::optional(std::move(ref)) : std::nullopt;
}

/// What remotes listed when they were last asked. One of them may call the content otherwise.
void FormerNames::findListed(const std::set<Digest>& contents) {
  const auto remotes = RemoteList::load(store_.folder());
  if (!remotes) return;
  std::map<Digest, std::map<Number, VersionRef>> named;
  std::map<Number, std::set<Digest>> meant;
  for (const RemoteConfig& remote : remotes->remotes) {
    const auto kept = readFetched(store_.folder(), remote.name);
    if (!kept || !*kept) continue;
    for (const RemoteVersion& version : RemoteLibrary::from((*kept)->listing).versions) {
      const VersionRef& ref = version.ref;
      const Number number(ref.name, ref.number);
      meant[number].insert(ref.contentDigest);
      if (contents.contains(ref.contentDigest)) named[ref.contentDigest].emplace(number, ref);
    }
  }
  for (auto& [content, numbers] : named) {
    std::erase_if(numbers, [&](const auto& one) {
      return meant.at(one.first).size() != 1 || !isFreeForListed(one.first);
    });
    if (numbers.size() != 1) continue;
    VersionRef& ref = numbers.begin()->second;
    ref.removedAt = 0;
    ref.tags.clear();
    ref.awaited.reset();
    ref.signature.clear();
    found_.emplace(content, std::move(ref));
    listed_.insert(content);
  }
}

/// Tags tell a number and no content: only where one number and one model are left.
Result<void> FormerNames::findTagged(const std::set<Digest>& contents) {
  std::set<Number> lost;
  STRATA_TRY(const auto names, store_.refs().names());
  for (const std::string& name : names) {
    STRATA_TRY(const auto tags, store_.refs().tagNames(name));
    for (const std::string& tag : tags) {
      const auto ref = store_.refs().readTag(name, tag);
      if (ref && hasLostVersion(store_.refs(), *ref)) lost.emplace(name, ref->number);
    }
  }
  for (const auto& [content, ref] : found_) lost.erase({ref.name, ref.number});
  std::erase_if(lost, [&](const Number& number) { return !isFree(number); });
  if (lost.size() != 1 || contents.size() != found_.size() + 1) return {};
  for (const Digest& content : contents) {
    if (found_.contains(content)) continue;
    VersionRef ref;
    ref.name = lost.begin()->first;
    ref.number = lost.begin()->second;
    ref.note = "its ref was lost; a tag had this number";
    ref.addedAt = currentTime();
    found_.emplace(content, std::move(ref));
    break;
  }
  return {};
}

bool FormerNames::isFree(const Number& number) const {
  return hasLostVersion(store_.refs(), {number.first, {}, number.second, {}, 0}) &&
         isUnlisted(number);
}

bool FormerNames::isFreeForListed(const Number& number) const {
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto ref = store_.refs().readVersion(number.first, number.second, place);
    if (ref || !isLost(ref.error().code)) return false;
  }
  return isUnlisted(number);
}

bool FormerNames::isUnlisted(const Number& number) const {
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto listed = writer_.catalog().version(number.first, number.second, place);
    if (!listed || *listed) return false;
  }
  return true;
}

}  // namespace strata
