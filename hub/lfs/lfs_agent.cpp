#include "hub/lfs/lfs_agent.h"

#include <fmt/format.h>

#include <chrono>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/ops/add_version.h"
#include "core/ops/pull_versions.h"
#include "core/ops/push_versions.h"
#include "core/ops/restore_version.h"
#include "core/store/awaited_packs.h"
#include "core/text/error_number.h"
#include "core/text/json_text.h"
#include "hub/lfs/opaque_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLineBytes = 1 << 20;
/// Several agents may run at once, if git-lfs is let; each write takes moments.
constexpr int kLockTries = 600;
constexpr std::chrono::milliseconds kLockWait{200};

struct LfsObject {
  std::string oid;  ///< 64 digits, the SHA-256 of the file
  std::uint64_t byteCount = 0;
  fs::path path;  ///< of an upload

  std::string name() const { return "lfs-" + oid; }
};

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
      : store_(store), options_(options), out_(out), stop_(stop) {}

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
    LfsObject object{textMember(request, "oid").value_or(""),
                     countMember(request, "size").value_or(0),
                     textMember(request, "path").value_or("")};
    if (!digestFromHex(object.oid)) {
      return fail(ErrorCode::InvalidArgument, "an oid of git-lfs is not a SHA-256");
    }
    Json answer{{"event", "complete"}, {"oid", object.oid}};
    const auto done = event == "upload" ? upload(object) : download(object);
    if (!done) {
      answer["error"] = {{"code", errorDigits(done.error().code)},
                         {"message", "strata: " + done.error().message}};
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
    return [this, oid = object.oid, size = object.byteCount,
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

  /// With its packs: a version that was pulled without them can neither be sent nor restored.
  bool isStored(const LfsObject& object) const {
    const auto version = store_.resolve(object.name());
    return version && !awaitedBy(store_, *version);
  }

  /// The store is another writer's for a moment.
  template <typename Work>
  auto whenFree(Work&& work) -> decltype(work()) {
    for (int tries = 1;; ++tries) {
      auto done = work();
      if (done || done.error().code != ErrorCode::StoreLocked || tries == kLockTries) return done;
      if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      std::this_thread::sleep_for(kLockWait);
    }
  }

  Result<fs::path> upload(const LfsObject& object) {
    if (!isStored(object)) {
      STRATA_TRY(const auto model, open(object.path));
      const AddOptions options{.name = object.name(), .memoryBytes = options_.memoryBytes};
      STRATA_TRY(
          whenFree([&] { return addVersion(store_, *model, options, stop_, meter(object)); }));
    }
    if (options_.remote != nullptr) STRATA_TRY(push(object));
    return fs::path();
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

  Result<void> push(const LfsObject& object) {
    const PushOptions options{.references = {object.name()}, .parallel = options_.parallel};
    STRATA_TRY(const PushReport report,
               pushVersions(store_, *options_.remote, options, stop_, meter(object)));
    if (!report.failed.empty()) return fail(report.failed.front().error);
    return {};
  }

  Result<fs::path> download(const LfsObject& object) {
    if (!isStored(object) && options_.remote != nullptr) {
      const PullOptions options{.references = {object.name()}, .parallel = options_.parallel};
      STRATA_TRY(const PullReport report, whenFree([&] {
                   return pullVersions(store_, *options_.remote, options, stop_, {});
                 }));
      if (!report.failed.empty()) return fail(report.failed.front().error);
    }
    const fs::path target = options_.temporaryFolder / (object.oid + "-" + randomName());
    const RestoreOptions options{.reference = object.name(), .target = target};
    STRATA_TRY(restoreVersion(store_, options, stop_, meter(object)));
    return target;
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
      return fail(ErrorCode::NotFound, workFolder.string() + ": is in no git repository");
    }
  }
  const fs::path folder = fs::absolute(git, status) / "lfs" / "tmp";
  fs::create_directories(folder, status);
  if (status) return fail(osError(folder, "make", status.value()));
  return folder;
}

}  // namespace strata::hub
