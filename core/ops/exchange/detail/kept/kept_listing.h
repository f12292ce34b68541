#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/ops/exchange/fetch_remote.h"
#include "core/result.h"

namespace strata {

/// STORE/remotes/NAME.json: what a remote listed when it was last asked. Its first line is a JSON
/// object that says all but the refs, and has a checksum of the whole. The list follows, a line for
/// each ref, as serializeRefIndex writes it: it is long, and read by every command that asks the
/// remote. Earlier programs wrote one JSON object with the list as a text in it.

/// Fails with InvalidArgument where the list is too long.
Result<std::string> keptText(const FetchedListing& fetched);

/// `what` names the file. Fails with CorruptData.
Result<FetchedListing> parseKept(std::string_view text, std::string_view what);

/// What its first line says of the list: little, where the list may be long.
struct KeptMarks {
  std::uint64_t generation = 0;
  std::uint64_t mendedAbove = 0;
  std::string identity = {};
  /// Beside it lie files of what was agreed on (core/ops/exchange/detail/kept/agreed_tags.h): one
  /// that is missing was lost. Earlier programs do not say so.
  bool hasAgreed = false;
};

/// All but the refs, which take most of the time. Nothing where it lacks a right check.
std::optional<FetchedListing> headKept(std::string_view text);

/// Such a text, but for when the remote was asked.
Result<std::string> keptAgain(std::string_view text, std::int64_t fetchedAt);

/// Fails with CorruptData.
Result<KeptMarks> parseMarks(std::string_view text, std::string_view what);

/// Tells a list from the one before it and after it; the same for the list and what is kept of it.
std::string listStamp(const RefListing& listing);
/// By the first line alone, whatever the rest says. Nothing where that cannot be read.
std::optional<std::string> stampKept(std::string_view text);

/// The refs of a damaged text that can be read: each of them is sealed by itself.
RefListing salvageKept(std::string_view text);

/// Of what is kept under a name: of a remote of the store, or a URL. Nothing if it was never asked.
/// Fails with CorruptData or Io.
Result<std::optional<KeptMarks>> readMarks(const std::filesystem::path& storeFolder,
                                           const std::string& name);

/// The same of a stem (core/ops/exchange/detail/kept/remote_file.h).
Result<std::optional<KeptMarks>> marksUnder(const std::filesystem::path& storeFolder,
                                            const std::string& stem);

/// Whether a list is of another remote than the one with this identity: one that was deleted and
/// made anew. Nobody knows where one of them has none yet.
bool isOtherRemote(const std::string& identity, const RefListing& listing);

}  // namespace strata
