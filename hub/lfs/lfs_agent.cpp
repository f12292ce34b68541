#include "hub/lfs/lfs_agent.h"

#include <fmt/format.h>

#include <chrono>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/restore_version.h"
#include "core/store/objects/awaited_packs.h"
#include "core/text/error_number.h"
#include "core/text/json_text.h"
#include "core/text/printable.h"
#include "hub/lfs/lfs_object.h"
#include "hub/lfs/opaque_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLineBytes = 1 << 20;
/// Several agents may run at once, if git-lfs is let; each write takes moments.
constexpr std::chrono::minutes kLongestLockWait{2};

/// A line; nothing at the end of the input. Longer ones than any of the protocol are cut, and then
/// are no JSON.
bool readLine(std::istream& in, std::string& line) {
  line.clear();
  for (char c = 0; in.get(c) && c != '\n';) {
    if (line.size() < kMostLineBytes) line += c;
  }
  return !line.empty() || in.good();
}

/// Answers git-lfs.
class Agent {
 public:
  Agent(Store& store, const LfsAgentOptions& options, std::ostream& out,
        const std::stop_token& stop)
      : store_(store), options_(options), out_(out), stop_(stop) {
    store_.setLockWait({.longest = kLongestLockWait});
  }

  /// False after "terminate".
  Result<bool> handle(const std::string& line) {
    STRATA_TRY(const nlohmann::json request, parseJson(line, "the line of git-lfs"));
    const std::string event = textMember(request, "event").value_or("");
    if (event == "terminate") return false;
    if (event == "init") {
      say(Json::object());
      return true;
    }
    if (event != "upload" && event != "download") {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("\"{}\" is no event of git-lfs's transfer protocol", event));
    }
    const std::string oid = textMember(request, "oid").value_or("");
    const auto digest = digestFromHex(oid);
    if (!digest) return fail(ErrorCode::InvalidArgument, "an oid of git-lfs is not a SHA-256");
    const LfsObject object{*digest, countMember(request, "size").value_or(0),
                           textMember(request, "path").value_or("")};
    Json answer{{"event", "complete"}, {"oid", oid}};
    const auto done = event == "upload" ? upload(object) : download(object);
    if (!done) {
      answer["error"] = {{"code", errorDigits(done.error().code)},
                         {"message", "strata: " + printable(done.error().message)}};
    } else if (!done->empty()) {
      answer["path"] = done->string();
    }
    say(answer);
    return !stop_.stop_requested();
  }

 private:
  void say(const Json& line) {
    out_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  }

  /// What an op reports as the protocol wants it: bytes of the file.
  ProgressSink meter(const LfsObject& object) {
    return [this, oid = object.oid(), size = object.byteCount,
            told = std::uint64_t{0}](const Progress& progress) mutable {
      const double share = progress.totalBytes == 0 ? 0
                                                    : static_cast<double>(progress.doneBytes) /
                                                          static_cast<double>(progress.totalBytes);
      const auto now = std::min(size, static_cast<std::uint64_t>(share * double(size)));
      if (now <= told) return;
      say({{"event", "progress"},
           {"oid", oid},
           {"bytesSoFar", now},
           {"bytesSinceLast", now - told}});
      told = now;
    };
  }

  /// The newest version that is the object. One whose manifest is damaged is none.
  Result<std::optional<VersionEntry>> stored(const LfsObject& object) const {
    STRATA_TRY(const auto versions, store_.catalog().versionsOf(object.name()));
    for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
      const auto holds = holdsLfsObject(store_, *version, object);
      if (holds && *holds) return *version;
    }
    return std::nullopt;
  }

  /// What is stored already is added, too: that finds damage and mends it.
  Result<fs::path> upload(const LfsObject& object) {
    STRATA_TRY(checkLfsFile(object, stop_));
    STRATA_TRY(trashOthers(object));
    STRATA_TRY(const auto model, open(object.path));
    const AddOptions options{.name = object.name(),
                             .expectedContent = object.contentAs(object.path.filename().string()),
                             .memoryBytes = options_.memoryBytes};
    STRATA_TRY(const AddReport added, addVersion(store_, *model, options, stop_, meter(object)));
    if (options_.remote != nullptr) STRATA_TRY(push(object, added.version));
    return fs::path();
  }

  /// Versions under the object's name that are something else. Before the object is added, so that
  /// it does not become a difference to one of them.
  Result<void> trashOthers(const LfsObject& object) {
    STRATA_TRY(const auto versions, store_.catalog().versionsOf(object.name()));
    for (const VersionEntry& version : versions) {
      const auto holds = holdsLfsObject(store_, version, object);
      if (!holds || *holds) continue;
      const RemoveOptions options{.references = {version.label()}};
      const auto removed = removeVersions(store_, options);
      // Others that are differences to it keep it; nobody is given it as the object.
      if (!removed && removed.error().code != ErrorCode::InvalidArgument) {
        return fail(removed.error());
      }
    }
    return {};
  }

  /// A model if it is one whole in this file, else bytes.
  Result<std::unique_ptr<ModelSource>> open(const fs::path& file) const {
    auto model = options_.openModel(file);
    const std::string name = file.filename().string();
    if (model && (*model)->description().files.size() == 1 &&
        (*model)->description().files.front().path == name) {
      return model;
    }
    return openOpaqueFile(file);
  }

  /// Under another number if something else has its own there.
  Result<void> push(const LfsObject& object, const VersionEntry& version) {
    const PushOptions options{.references = {version.label()},
                              .renumber = true,
                              .parallel = options_.parallel,
                              .keptAs = options_.remoteName};
    STRATA_TRY(const PushReport report,
               pushVersions(store_, *options_.remote, options, stop_, meter(object)));
    if (!report.failed.empty()) return fail(report.failed.front().error);
    return {};
  }

  Result<fs::path> download(const LfsObject& object) {
    STRATA_TRY(auto version, stored(object));
    // The newest there first; the others only if that is something else.
    for (const std::string& word : {object.name(), object.name() + ":*"}) {
      const bool isWhole = version && !awaitedBy(store_, *version);
      if (isWhole || options_.remote == nullptr) break;
      STRATA_TRY(pull(word));
      STRATA_TRY(version, stored(object));
    }
    if (!version) {
      STRATA_TRY(store_.resolve(object.name()));
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: what is stored under this name is not the object of {} bytes "
                              "with this SHA-256; push it again from where it is sound",
                              object.name(), object.byteCount));
    }
    const fs::path target = options_.temporaryFolder / (object.oid() + "-" + randomName());
    // An oid is a SHA-256, and git-lfs takes the agent's word for it.
    const RestoreOptions options{.reference = version->label(), .target = target, .verify = true};
    STRATA_TRY(restoreVersion(store_, options, stop_, meter(object)));
    return target;
  }

  Result<void> pull(const std::string& reference) {
    const PullOptions options{.references = {reference},
                              .parallel = options_.parallel,
                              .fetchBase = options_.fetchBase,
                              .keptAs = options_.remoteName};
    STRATA_TRY(const PullReport report, pullVersions(store_, *options_.remote, options, stop_, {}));
    if (!report.failed.empty()) return fail(report.failed.front().error);
    return {};
  }

  Store& store_;
  const LfsAgentOptions& options_;
  std::ostream& out_;
  const std::stop_token& stop_;
};

/// What a `.git` file of a work tree or submodule names; `place` itself if it is a folder.
fs::path linkedGitFolder(const fs::path& place) {
  std::error_code status;
  if (fs::is_directory(place, status)) return place;
  const auto mapped = MappedFile::open(place);
  if (!mapped || mapped->bytes().size() > 4096) return {};
  std::string text(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size());
  constexpr std::string_view kKey = "gitdir: ";
  if (!text.starts_with(kKey)) return {};
  text = text.substr(kKey.size(), text.find_first_of("\r\n") - kKey.size());
  return (place.parent_path() / text).lexically_normal();
}

}  // namespace

Result<void> runLfsAgent(Store& store, const LfsAgentOptions& options, std::istream& in,
                         std::ostream& out, const std::stop_token& stop) {
  Agent agent(store, options, out, stop);
  for (std::string line; readLine(in, line);) {
    if (line.empty()) continue;
    STRATA_TRY(const bool goesOn, agent.handle(line));
    if (!goesOn) break;
  }
  if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  return {};
}

Result<fs::path> lfsTemporaryFolder(const fs::path& workFolder, const std::string& gitDir) {
  fs::path git = gitDir;
  std::error_code status;
  for (fs::path place = fs::absolute(workFolder, status); git.empty();
       place = place.parent_path()) {
    if (fs::exists(place / ".git", status)) git = linkedGitFolder(place / ".git");
    const bool isBare = fs::exists(place / "HEAD", status) && fs::exists(place / "objects", status);
    if (git.empty() && isBare) git = place;
    if (git.empty() && place == place.parent_path()) {
      return fail(
          ErrorCode::NotFound,
          workFolder.string() +
              ": is in no git repository, where \"strata lfs-agent\" is started by git-lfs");
    }
  }
  const fs::path folder = fs::absolute(git, status) / "lfs" / "tmp";
  fs::create_directories(folder, status);
  if (status) return fail(osError(folder, "make", status.value()));
  return folder;
}

}  // namespace strata::hub
