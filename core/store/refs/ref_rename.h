#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// All refs of a name get another one: each is written anew, because it says its name. A mark,
/// `refs/TO/was.json`, stands while that is under way: whoever finds it without a writer at work
/// finishes what was begun. At each instant every version has a ref that reads, under the old name,
/// the new one or both. Only the holder of the write lock calls these.

/// First step: all refs of `name`, live and in the trash, are at `to`, too. Fails with CorruptData
/// (a ref that cannot be read), NoSpace or Io; then dropCopies takes back what was written.
Result<void> copyRefs(const RefFolder& refs, const std::string& name, const std::string& to);

/// Takes the first step back, also half of it: nothing is at `to`, and the mark is gone. Fails with
/// CorruptData or Io; then the mark stands, and the next writer finishes what was begun.
Result<void> dropCopies(const RefFolder& refs, const std::string& name, const std::string& to);

/// Second step: those at `name` are gone but for its highest number, and so is the mark.
/// Fails with Io, NoSpace.
Result<void> dropCopiedRefs(const RefFolder& refs, const std::string& name, const std::string& to);

/// Finishes what a writer that died has begun. Refs that cannot be read stay where they are.
/// Fails with Io, NoSpace.
Result<void> settleRenames(const RefFolder& refs, const std::vector<std::string>& names);

/// Whether a rename took a version to another name, where it is now: `version` says the name it
/// had. Reads last.json of that name, which says where its versions went. Fails with Io.
Result<bool> wasRenamed(const RefFolder& refs, const VersionRef& version);

/// Highest number that a name has or had, by its files.
Result<std::uint32_t> highestNumber(const RefFolder& refs, std::string_view name);

/// Highest number that a tag of the name leads to: its version may have lost its ref, and no other
/// model is to be what the tag names. 0 where there is none. The files of the tags that `known` has
/// are not read.
using TagNumbers = std::map<std::string, std::uint32_t, std::less<>>;
std::uint32_t highestTagged(const RefFolder& refs, std::string_view name, const TagNumbers& known);

/// Contents of versions of one name, by number.
using NumberedContents = std::map<std::uint32_t, Digest>;

/// Keeps that number and what the numbers of the versions stand for that are about to leave the
/// name, so that none is used again. Goes before their files. `atLeast`: what the catalog knows, as
/// last.json may be damaged. `sources`: what lossy ones of them were made of. Fails with Io,
/// NoSpace.
Result<void> keepNumbers(const RefFolder& refs, const std::string& name, std::uint32_t atLeast,
                         const NumberedContents& leaving, const NumberedContents& sources = {});

}  // namespace strata
