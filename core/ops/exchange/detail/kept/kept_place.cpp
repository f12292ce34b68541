#include "core/ops/exchange/detail/kept/kept_place.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/io/folder_mutex.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/remote_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// The list last: with it the others are expected.
constexpr const char* kEndings[] = {".tags", ".notes", ".json"};

bool liesThere(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

bool isAnyThere(const fs::path& storeFolder, const std::string& stem) {
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* ending) {
    return liesThere(keptFile(storeFolder, stem, ending));
  });
}

void moveAll(const fs::path& storeFolder, const std::string& from, const std::string& to) {
  for (const char* const ending : kEndings) {
    std::error_code failed;
    const fs::path file = keptFile(storeFolder, from, ending);
    if (!liesThere(file)) continue;
    fs::rename(file, keptFile(storeFolder, to, ending), failed);
    if (failed) return;
  }
}

/// Whether both have what was agreed on: where only one has it, a move was cut midway.
bool haveBoth(const fs::path& storeFolder, const std::string& one, const std::string& other) {
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* ending) {
    return liesThere(keptFile(storeFolder, one, ending)) &&
           liesThere(keptFile(storeFolder, other, ending));
  });
}

void moveUnderLock(const fs::path& storeFolder, const std::string& from, const std::string& to) {
  const auto own = marksUnder(storeFolder, to);
  const auto other = marksUnder(storeFolder, from);
  if (own && !*own && !haveBoth(storeFolder, from, to)) return moveAll(storeFolder, from, to);
  if (!own || !*own || !other || !*other) return;  // what is damaged or missing is said
  const bool isOne = (*own)->identity == (*other)->identity || (*own)->identity.empty() ||
                     (*other)->identity.empty();
  if (isOne && (*other)->generation > (*own)->generation) return moveAll(storeFolder, from, to);
  eraseKept(storeFolder, from);
}

constexpr std::string_view kReplacedStem = ".id-";

/// Of what is kept of a remote that has no place any more.
std::string replacedStem(const std::string& identity) {
  return std::string(kReplacedStem) + identity;
}

/// Identities are checked where lists are read.
bool isIdentity(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<void> copyKept(const fs::path& from, const fs::path& to, const fs::path& scratch) {
  if (!liesThere(from)) {
    // What lies there is of what was kept before.
    std::error_code failed;
    fs::remove(to, failed);
    return failed ? fail(osError(to, "delete", failed.value())) : Result<void>();
  }
  STRATA_TRY(const MappedFile mapped, MappedFile::open(from));
  const auto bytes = mapped.bytes();
  return writeFileWhole(scratch, to, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<void> copyAll(const fs::path& storeFolder, const std::string& from, const std::string& to) {
  for (const char* const ending : kEndings) {
    STRATA_TRY(copyKept(keptFile(storeFolder, from, ending), keptFile(storeFolder, to, ending),
                        storeFolder / "tmp"));
  }
  return {};
}

bool isReplacedStem(std::string_view stem) {
  return stem.starts_with(kReplacedStem) &&
         isIdentity(std::string(stem.substr(kReplacedStem.size())));
}

}  // namespace

std::set<std::string> replacedStemsKept(const fs::path& storeFolder) {
  std::set<std::string> stems;
  for (std::string& stem : stemsKept(storeFolder)) {
    if (isReplacedStem(stem)) stems.insert(std::move(stem));
  }
  return stems;
}

void eraseKept(const fs::path& storeFolder, const std::string& stem) {
  std::error_code ignored;
  for (auto ending = std::rbegin(kEndings); ending != std::rend(kEndings); ++ending) {
    fs::remove(keptFile(storeFolder, stem, *ending), ignored);
  }
}

void moveKept(const fs::path& storeFolder, const std::string& from, const std::string& to) {
  if (from == to || !isAnyThere(storeFolder, from)) return;
  const auto lock = FolderMutex::take(storeFolder / "remotes");
  if (lock) moveUnderLock(storeFolder, from, to);
}

void joinKept(const fs::path& storeFolder, const std::string& name) {
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  for (const std::string& stem : stems) moveKept(storeFolder, stem, stems.front());
}

Result<bool> adoptKept(const fs::path& storeFolder, const std::string& name,
                       const std::string& identity) {
  if (name.empty() || identity.empty()) return false;
  const std::string own = leadingStem(storeFolder, name);
  if (isAnyThere(storeFolder, own)) return false;
  std::string newest;
  std::uint64_t highest = 0;
  for (const std::string& stem : stemsKept(storeFolder)) {
    const auto marks = marksUnder(storeFolder, stem).value_or(std::nullopt);
    if (!marks || marks->identity != identity || marks->generation <= highest) continue;
    highest = marks->generation;
    newest = stem;
  }
  if (newest.empty()) return false;
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(storeFolder / "remotes"));
  STRATA_TRY(copyAll(storeFolder, newest, own));
  if (isReplacedStem(newest)) eraseKept(storeFolder, newest);
  return true;
}

Result<void> keepReplaced(const fs::path& storeFolder, const std::string& name,
                          const std::string& identity) {
  if (!isIdentity(identity)) return {};
  const std::string own = leadingStem(storeFolder, name);
  const std::string former = replacedStem(identity);
  const auto marks = marksUnder(storeFolder, own).value_or(std::nullopt);
  const auto kept = marksUnder(storeFolder, former).value_or(std::nullopt);
  const bool isNewer = marks && (!kept || kept->generation <= marks->generation);
  return isNewer ? copyAll(storeFolder, own, former) : Result<void>();
}

Result<bool> takeReplaced(const fs::path& storeFolder, const std::string& name,
                          const std::string& identity) {
  if (name.empty() || !isIdentity(identity)) return false;
  const std::string own = leadingStem(storeFolder, name);
  const auto former = marksUnder(storeFolder, replacedStem(identity)).value_or(std::nullopt);
  if (!former || former->identity != identity) return false;
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(storeFolder / "remotes"));
  if (const auto marks = marksUnder(storeFolder, own).value_or(std::nullopt)) {
    STRATA_TRY(keepReplaced(storeFolder, name, marks->identity));
  }
  STRATA_TRY(copyAll(storeFolder, replacedStem(identity), own));
  eraseKept(storeFolder, replacedStem(identity));
  return true;
}

Result<void> checkOtherStems(const fs::path& storeFolder, const std::string& name) {
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  for (const std::string& stem : stems) {
    if (stem == stems.front()) continue;
    STRATA_TRY(const auto marks, marksUnder(storeFolder, stem));
    if (!isAnyThere(storeFolder, stem)) continue;
    const std::string file = keptFile(storeFolder, stem, ".json").string();
    if (marks) return fail(ErrorCode::Io, file + ": cannot be moved to " + stems.front());
    return fail(ErrorCode::CorruptData, file + ": is missing");
  }
  return {};
}

void eraseOtherStems(const fs::path& storeFolder, const std::string& name) {
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  for (const std::string& stem : stems) {
    if (stem != stems.front()) eraseKept(storeFolder, stem);
  }
}

}  // namespace strata
