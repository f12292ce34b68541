#include "cli/list_addition.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>

#include "cli/remote_access.h"
#include "cli/views/version_view.h"
#include "cli/words/model_words.h"
#include "core/io/os_error.h"
#include "core/text/url_text.h"
#include "core/text/wording.h"
#include "core/transfer/base_elsewhere.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

using Kind = AddListEvent::Kind;

/// All of a file, a fifo or stdin.
Attempt<std::string> readText(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  const bool isStdin = path == kStdin;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      isStdin ? stdin : std::fopen(path.c_str(), "rb"),
      isStdin ? [](std::FILE*) { return 0; } : &std::fclose);
  if (!file && errno == ENOENT) return problem(ErrorCode::NotFound, path + ": no such file");
  if (!file) return problem(osError(path, "open", errno));
  std::string text;
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), got);
    if (text.size() > kMostBytes) {
      return usage(fmt::format("{}: is larger than {}, and no list", path, wordBytes(kMostBytes)));
    }
  }
  if (std::ferror(file.get()) != 0) return problem(osError(path, "read", errno));
  return text;
}

class ListView {
 public:
  explicit ListView(Context& context) : context_(context), output_(context.output()) {}

  void say(const AddListEvent& event) {
    context_.endProgress();
    if (event.kind == Kind::Pushed) {
      sayPushed(*event.pushed);
    } else if (event.kind == Kind::Waiting) {
      output_.warning(printable("a push failed, and is tried again: " + event.error->message));
    } else {
      sayLine(event);
    }
    std::fflush(stdout);
  }

  void sayEnd(const AddListReport& report, const Shard& shard, std::size_t lines) {
    Json failed = Json::array();
    for (const auto& one : report.failed) {
      failed.push_back(
          {{"line", one.model.line}, {"name", one.model.name}, {"message", one.error.message}});
    }
    Json unsent = Json::array();
    for (const FailedTransfer& one : report.unsent) {
      unsent.push_back({{"ref", one.label}, {"message", one.error.message}});
      output_.warning(printable(fmt::format("{} did not go: {}", one.label, one.error.message)));
    }
    output_.event("result", {{"shard", shard.index},
                             {"shards", shard.count},
                             {"lines", lines},
                             {"stored", report.stored},
                             {"known", report.known},
                             {"there", report.there},
                             {"failed", std::move(failed)},
                             {"pushed", report.pushed},
                             {"pushed_bytes", report.pushedBytes},
                             {"unsent", std::move(unsent)},
                             {"seconds", report.seconds}});
    const auto counted = [](std::size_t count, std::string_view what) {
      return count > 0 ? fmt::format(", {} {}", count, what) : std::string();
    };
    output_.note(fmt::format(
        "{} of {}: {} stored{}{}{}{}", wordCount(lines, "line"), shardText(shard), report.stored,
        counted(report.known, "stored before"), counted(report.there, "on the remote before"),
        counted(report.failed.size(), "failed"), counted(report.pushed, "pushed")));
  }

 private:
  static std::string shardText(const Shard& shard) {
    return shard.count == 1 ? "the list" : fmt::format("shard {}/{}", shard.index, shard.count);
  }

  void sayLine(const AddListEvent& event) {
    const ListedModel& model = *event.model;
    const AddReport* const added = event.added;
    Json fields{{"line", model.line}, {"name", model.name}, {"path", model.file}};
    fields["outcome"] = added != nullptr            ? std::string(outcomeWord(added->outcome))
                        : event.kind == Kind::There ? "there"
                                                    : "failed";
    fields["version"] = added != nullptr ? toJson(added->version) : Json(nullptr);
    fields["message"] = event.error != nullptr ? Json(event.error->message) : Json(nullptr);
    output_.event("line", std::move(fields));
    if (event.error != nullptr) {
      output_.warning(
          printable(fmt::format("line {}: {}: {}", model.line, model.name, event.error->message)));
    } else if (added == nullptr) {
      output_.line(printable(model.name + " is on the remote"));
    } else {
      sayAdded(*added, model);
    }
  }

  void sayAdded(const AddReport& added, const ListedModel& model) {
    const VersionEntry& version = added.version;
    output_.essential(version.label());
    const bool isStored = added.outcome == AddReport::Outcome::Stored;
    output_.line(
        printable(fmt::format("{} {}  {}{}  from {}", isStored ? "Stored" : "Has", version.label(),
                              sizeText(version), version.lossy ? "  lossy" : "", model.file)));
    printDoubts(output_, added);
  }

  void sayPushed(const PushReport& pushed) {
    output_.event("push", {{"pushed", pushed.pushed.size()}, {"bytes", pushed.byteCount}});
    if (!pushed.pushed.empty()) {
      output_.line(fmt::format("Pushed {}, {}", wordCount(pushed.pushed.size(), "version"),
                               wordBytes(pushed.byteCount)));
    }
    for (const FailedTransfer& one : pushed.failed) {
      if (one.isMemory) output_.warning(printable(one.label + ": " + one.error.message));
    }
  }

  Context& context_;
  Output& output_;
};

/// What the command line can fetch by itself.
Result<void> checkUrl(const std::string& url) {
  if (isFetchable(url)) return {};
  return fail(ErrorCode::InvalidArgument,
              withoutPassword(url) +
                  ": a list takes files, https://HOST/FILE and hf://ORG/REPO; Store.add_from of "
                  "the Python package takes URLs of other kinds, too");
}

/// Models of URLs, which lie in the store until they are stored.
class FetchedModels {
 public:
  FetchedModels(Context& context, const Store& store) : context_(context), store_(store) {}

  Attempt<std::string> fetch(const std::string& url) {
    STRATA_ATTEMPT(hub::ModelFromHub model, fetchFromHub(context_, store_, url));
    std::string path = model.path();
    models_.emplace(url, std::move(model));
    return path;
  }

  void drop(const std::string& url) {
    const auto at = models_.find(url);
    if (at == models_.end()) return;
    at->second.drop();
    models_.erase(at);
  }

 private:
  Context& context_;
  const Store& store_;
  std::map<std::string, hub::ModelFromHub> models_;
};

/// Opens a file, or what a URL names.
Attempt<std::unique_ptr<ModelSource>> openListed(Context& context, const FolderOptions& folder,
                                                 FetchedModels& fetched, const std::string& file) {
  std::string path = file;
  if (isRemoteUrl(file)) {
    STRATA_ATTEMPT(path, fetched.fetch(file));
  }
  return context.openModel(path, folder.followLinks, folder.exclude);
}

/// Exit 3 where some of it is done, else what the first failure says.
Outcome outcomeOf(const AddListReport& report, const OpenRemote* remote) {
  if (report.isWhole()) return ExitCode::Done;
  const bool isNothing = report.stored + report.known + report.there == 0;
  if (isNothing && !report.failed.empty()) {
    const auto& first = report.failed.front();
    Problem cause(first.error.within(fmt::format("line {}", first.model.line)));
    cause.details.push_back("No line of the list could be stored");
    cause.adviceByCode = false;
    return problem(std::move(cause));
  }
  if (report.failed.empty() && report.pushed == 0 && remote != nullptr) {
    Problem cause = remoteProblem(report.unsent.front().error, remote->config);
    cause.details.push_back("All are in the store; the same command pushes them");
    return problem(std::move(cause));
  }
  return ExitCode::Partly;
}

}  // namespace

void ListAddition::declare(Arguments& arguments) {
  arguments.add({.spelling = "--from",
                 .target = &from_,
                 .value = "LIST",
                 .help = "store the models of a file with lines of NAME, FILE and perhaps BASE, "
                         "with tabs between them; - for stdin",
                 .completes = Completes::Files});
  arguments.add({.spelling = "--shard",
                 .target = &shard_,
                 .value = "I/N",
                 .help = "of --from: the lines I, I+N, I+2N, ... of the list, counted from 0"});
  arguments.add({.spelling = "--push",
                 .target = &remote_,
                 .value = "REMOTE",
                 .help = "of --from: push what was stored, and fetch bases that are not here",
                 .completes = Completes::Remotes});
}

std::string_view ListAddition::idleOption() const {
  if (from_) return {};
  return shard_ ? "--shard" : remote_ ? "--push" : "";
}

Outcome ListAddition::run(Context& context, const FolderOptions& folder, const AddOptions& add,
                          const std::optional<QualityPlan>& plan) const {
  Shard shard;
  if (shard_) {
    auto parsed = parseShard(*shard_);
    if (!parsed) return problem(parsed.error().within("--shard"));
    shard = *parsed;
  }
  STRATA_ATTEMPT(const std::string text, readText(*from_));
  STRATA_TRY(const std::vector<ListedModel> models, readModelList(text, *from_, checkUrl));
  STRATA_ATTEMPT(Store* const store, context.openStore());
  AddListOptions options{.models = modelsOf(models, shard), .add = add, .plan = plan};
  std::optional<OpenRemote> remote;
  if (remote_) {
    STRATA_ATTEMPT(remote, openRemote(context, *remote_));
    options.remote = remote->transport.get();
    options.push.cards = hub::cardsFor(remote->config);
    options.push.parallel = parallelTransfers(context);
    options.push.keptAs = remote->shown();
  }
  ListView view(context);
  FetchedModels fetched(context, *store);
  const AddListCalls calls{
      .open = [&](const std::string& file) -> Result<std::unique_ptr<ModelSource>> {
        auto opened = openListed(context, folder, fetched, file);
        if (!opened) return fail(std::move(opened).error().error);
        return *std::move(opened);
      },
      .onClosed = [&](const std::string& file) { fetched.drop(file); },
      .onEvent = [&](const AddListEvent& event) { view.say(event); }};
  const std::stop_token stop = context.stopToken();
  auto done =
      addList(*store, options, calls, stop, context.progress(Context::JsonProgress::Events));
  context.endProgress();
  if (!done) {
    if (!remote) return problem(std::move(done).error());
    return problem(remoteProblem(std::move(done).error(), remote->config));
  }
  view.sayEnd(*done, shard, options.models.size());
  return outcomeOf(*done, remote ? &*remote : nullptr);
}

}  // namespace strata::cli
