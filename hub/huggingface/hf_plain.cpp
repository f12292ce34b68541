#include "hub/huggingface/hf_plain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/json_text.h"

namespace strata::hub {
namespace {

using nlohmann::json;

constexpr const char* kListPath = "strata/plain.json";
constexpr std::size_t kMaxListBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxRegularBytes = std::size_t{32} << 20U;

/// The page and git's own file stay what they are.
bool isReserved(const std::string& path) { return path == "README.md" || path == kAttributesPath; }

Result<void> checkPath(const PlainFile& file) {
  const bool isOurs = file.path.starts_with("objects/") || file.path.starts_with("strata/");
  if (isSafePath(file.path) && !isOurs) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: a plain file cannot have this name there", file.path));
}

std::string listText(const PlainSet& set) {
  json files = json::array();
  for (const PlainFile& file : set.files) {
    files.push_back(json::array({file.path, file.byteCount, toHex(file.sha256)}));
  }
  return json{{"format", 1}, {"version", set.version}, {"files", std::move(files)}}.dump() + "\n";
}

Result<PlainSet> parseList(const std::string& text) {
  const auto damaged = [] {
    return fail(ErrorCode::CorruptData, fmt::format("{}: is no list of plain files", kListPath));
  };
  STRATA_TRY(const json list, parseJson(text, kListPath));
  if (countMember(list, "format") != 1) return damaged();
  PlainSet set{textMember(list, "version").value_or(""), {}};
  for (const json& entry : listMember(list, "files")) {
    if (!entry.is_array() || entry.size() != 3 || !entry[0].is_string() ||
        !entry[1].is_number_unsigned() || !entry[2].is_string()) {
      return damaged();
    }
    const auto digest = digestFromHex(entry[2].get<std::string>());
    PlainFile file{entry[0].get<std::string>(), entry[1].get<std::uint64_t>(),
                   digest.value_or(Digest{})};
    // What the list names is removed some day: never what is not ours to remove.
    if (!digest || !checkPath(file) || isReserved(file.path)) return damaged();
    set.files.push_back(std::move(file));
  }
  return set;
}

const PlainFile* find(const PlainSet& set, const std::string& path) {
  const auto found = std::find_if(set.files.begin(), set.files.end(),
                                  [&](const PlainFile& file) { return file.path == path; });
  return found == set.files.end() ? nullptr : &*found;
}

}  // namespace

Result<std::optional<PlainSet>> HfPlain::standing(const std::string& commit,
                                                  const std::stop_token& stop) {
  STRATA_TRY(const auto text, api_.readFile(commit, kListPath, kMaxListBytes, stop));
  if (!text) return std::nullopt;
  return parseList(*text);
}

Result<PlainPlan> HfPlain::plan(const PlainSet& wanted, const std::stop_token& stop) {
  PlainPlan plan;
  std::optional<PlainSet> there;
  std::map<std::string, HfFile> inTheWay;
  const auto head = api_.headCommit(stop);
  if (!head && head.error().code != ErrorCode::NotFound) return fail(head.error());
  if (head) {
    STRATA_TRY(there, standing(*head, stop));
  }
  if (there) plan.standing = there->version;
  if (wanted.files.empty()) return plan;
  std::vector<std::string> paths;
  for (const PlainFile& file : wanted.files) {
    STRATA_TRY(checkPath(file));
    paths.push_back(file.path);
  }
  if (head) {
    STRATA_TRY(const std::vector<HfFile> found, api_.pathsInfo(*head, paths, stop));
    for (const HfFile& file : found) inTheWay.emplace(file.path, file);
  }
  for (const PlainFile& file : wanted.files) {
    if (isReserved(file.path)) {
      plan.reserved.push_back(file);
      continue;
    }
    const auto other = inTheWay.find(file.path);
    const bool isThere = other != inTheWay.end();
    const PlainFile* const ours = there ? find(*there, file.path) : nullptr;
    const bool isSame = isThere && ((ours != nullptr && *ours == file) ||
                                    other->second.sha256 == toHex(file.sha256));
    if (isThere && ours == nullptr && !isSame) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: the repository has another file of this name that no push of "
                              "plain files wrote; rename or remove it there",
                              file.path));
    }
    if (!isSame) plan.missing.push_back(file);
  }
  return plan;
}

Result<void> HfPlain::put(const PlainFile& file, const ObjectSource& source,
                          const std::stop_token& stop, const TransferMeter& meter) {
  std::string sample(std::min<std::uint64_t>(file.byteCount, kSampleBytes), '\0');
  STRATA_TRY(source.read(0, std::as_writable_bytes(std::span(sample))));
  const std::vector<HfCommitFile> announced{{file.path, {}, toHex(file.sha256), file.byteCount}};
  STRATA_TRY(const std::vector<std::string> regular,
             api_.regularPaths(announced, {sample}, {}, stop));
  if (regular.empty() && file.byteCount > 0) {
    const RemoteObject object{file.sha256, file.byteCount, RemoteObject::Kind::Pack};
    STRATA_TRY(upload_.put(object, source, stop, meter));
    const std::scoped_lock lock(mutex_);
    put_[file.path] = std::nullopt;
    return {};
  }
  if (file.byteCount > kMaxRegularBytes) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: the server wants {} bytes as a regular file, at most {} are sent",
                            file.path, file.byteCount, kMaxRegularBytes));
  }
  std::string content(file.byteCount, '\0');
  STRATA_TRY(source.read(0, std::as_writable_bytes(std::span(content))));
  if (sha256(std::as_bytes(std::span(content))) != file.sha256) {
    return fail(ErrorCode::CorruptData, file.path + ": is not what was added");
  }
  if (meter) meter(static_cast<std::int64_t>(content.size()));
  const std::scoped_lock lock(mutex_);
  put_[file.path] = std::move(content);
  return {};
}

Result<void> HfPlain::addTo(std::vector<HfCommitFile>& files, const PlainSet& wanted,
                            const std::string& commit, const std::stop_token& stop) {
  STRATA_TRY(const std::optional<PlainSet> there, standing(commit, stop));
  std::vector<std::string> inLfs;
  for (const PlainFile& file : wanted.files) {
    const std::scoped_lock lock(mutex_);
    const auto put = put_.find(file.path);
    if (put == put_.end()) continue;  // is there
    if (put->second) {
      files.push_back({file.path, *put->second});
    } else {
      files.push_back({file.path, {}, toHex(file.sha256), file.byteCount});
      inLfs.push_back(file.path);
    }
  }
  for (const PlainFile& old : there ? there->files : std::vector<PlainFile>{}) {
    if (find(wanted, old.path) != nullptr) continue;
    files.push_back({.path = old.path, .isDeleted = true});
  }
  files.push_back({kListPath, listText(wanted)});
  if (inLfs.empty()) return {};
  // The push itself may have a line for it already.
  const auto own = std::find_if(files.begin(), files.end(), [](const HfCommitFile& file) {
    return file.path == kAttributesPath;
  });
  if (own != files.end()) {
    own->content = withLfsPaths(std::move(own->content), inLfs);
    return {};
  }
  STRATA_TRY(const auto before, api_.readFile(commit, kAttributesPath, kMaxListBytes, stop));
  std::string after = withLfsPaths(before.value_or(""), inLfs);
  if (after != before.value_or("")) files.push_back({kAttributesPath, std::move(after)});
  return {};
}

std::string withLfsPaths(std::string before, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    // Characters that mean something in a pattern: any one in their place.
    std::string pattern = "/";
    for (const char letter : path) {
      if (letter == ' ') {
        pattern += "[[:space:]]";
      } else {
        pattern +=
            std::string_view("*?[]\"#!").find(letter) == std::string_view::npos ? letter : '?';
      }
    }
    const std::string line = pattern + " filter=lfs diff=lfs merge=lfs -text\n";
    if (before.find("\n" + line) != std::string::npos || before.starts_with(line)) continue;
    if (!before.empty() && before.back() != '\n') before += '\n';
    before += line;
  }
  return before;
}

}  // namespace strata::hub
