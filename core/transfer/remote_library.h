#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// The versions and tags of a remote at one time. Refs that this program cannot read are left out
/// and named in `problems`.
struct RemoteLibrary {
  std::vector<RemoteVersion> versions;  ///< sorted by name and number
  /// Removed versions that others there are differences to. Only NAME:vN means one. Sorted as well.
  std::vector<RemoteVersion> parents;
  std::vector<TagRef> tags;  ///< sorted by name and tag
  std::string revision;
  std::vector<std::string> problems;

  static RemoteLibrary from(const RefListing& listing);

  /// `versions`, then `parents`: all that the remote has to have the objects of.
  std::vector<const RemoteVersion*> all() const;
  /// Any version or parent with this content; nullptr if there is none. Both are as from() made
  /// them.
  const RemoteVersion* withContent(const Digest& content) const noexcept;
  /// All versions of a name.
  std::span<const RemoteVersion> named(std::string_view name) const noexcept;
  const RemoteVersion* find(std::string_view name, std::uint32_t number) const noexcept;
  /// nullptr if there is none.
  const TagRef* tag(std::string_view name, std::string_view tag) const noexcept;
  std::vector<std::string> tagsOf(const RemoteVersion& version) const;
  /// The version that one is a difference to, "base:v1"; empty for a base, or if it is not there.
  std::string parentOf(const RemoteVersion& version) const;
  /// Where the parent of one lies that is not there; nullptr if it is, or if nobody knows.
  const BaseElsewhere* elsewhere(const RemoteVersion& version) const noexcept;
  /// Those of all versions, each once.
  std::vector<BaseElsewhere> basesElsewhere() const;

  /// The versions that references mean there: `NAME` (the newest), `NAME:vN`, `NAME:TAG`, `NAME~N`,
  /// `@HASH`; a word with * or ? means all versions whose name or label matches. No references:
  /// all. What is the newest is decided as in a store (core/store/run_tags.h). `latest` keeps so
  /// many of each name, the newest; 0: all. Fails with NotFound, naming what there is, or
  /// InvalidArgument.
  Result<std::vector<const RemoteVersion*>> select(std::span<const std::string> references,
                                                   std::uint32_t latest) const;

 private:
  /// The first of `versions` with each content; of `parents` behind them.
  std::map<Digest, std::size_t> byContent_;

  /// Why no version is meant, and what there is instead.
  std::string noSuchName(const std::string& name) const;
  /// Sorts versions of one name from the oldest to the newest, as a store does (sortByAge).
  void sortAsStore(std::vector<const RemoteVersion*>& ofName) const;
  /// The newest `count` of each name, in the order given: by name and number.
  std::vector<const RemoteVersion*> newest(std::vector<const RemoteVersion*> chosen,
                                           std::uint32_t count) const;
  Result<const RemoteVersion*> resolve(const std::string& reference) const;
};

/// Whether a word of the command line is a pattern, not a reference.
bool isGlob(std::string_view word) noexcept;

}  // namespace strata
