#include <fmt/format.h>

#include <algorithm>

#include "cli/remote_access.h"
#include "cli/views/remote_view.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/store/refs/reference.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

Json remoteJson(const RemoteConfig& remote, bool isDefault) {
  return {{"name", remote.name},
          {"url", remote.url},
          {"default", isDefault},
          {"endpoint", orNull(remote.endpoint)},
          {"ca_file", orNull(remote.caFile)},
          {"client_cert", orNull(remote.clientCertificate)},
          {"client_key", orNull(remote.clientKey)},
          {"chunk", orNull(remote.chunk)},
          {"insecure", remote.insecure},
          {"plain_http", remote.plainHttp},
          {"confirmed", remote.unconfirmed.empty()}};
}

/// Numbers are null for a remote that was never asked.
Json withDifference(Json remote, const std::optional<RemoteDifference>& known) {
  remote["versions"] = known ? Json(known->versionCount) : Json(nullptr);
  remote["to_push"] = known ? Json(known->toPush) : Json(nullptr);
  remote["to_pull"] = known ? Json(known->toPull) : Json(nullptr);
  remote["tags_to_push"] = known ? Json(known->tagsToPush) : Json(nullptr);
  remote["tags_to_pull"] = known ? Json(known->tagsToPull) : Json(nullptr);
  remote["asked"] = known ? Json(isoDate(known->fetchedAt)) : Json(nullptr);
  return remote;
}

/// "2", "2 + 1 tag".
std::string withTags(std::uint64_t versions, std::uint64_t tags) {
  if (tags == 0) return std::to_string(versions);
  return fmt::format("{} + {}", versions, wordCount(tags, "tag"));
}

/// The options that `add` and `set` share.
struct Wishes {
  std::optional<std::string> endpoint;
  std::optional<std::string> caFile;
  std::optional<std::string> clientCertificate;
  std::optional<std::string> clientKey;
  std::optional<std::string> chunk;
  bool insecure = false;
  bool secure = false;
  bool plainHttp = false;
  bool isDefault = false;

  void declare(Arguments& arguments) {
    arguments.add({.spelling = "--default",
                   .target = &isDefault,
                   .help = "what push and pull use when none is named"});
    arguments.add({.spelling = "--endpoint",
                   .target = &endpoint,
                   .value = "URL",
                   .help = "of another server of its kind"});
    arguments.add({.spelling = "--ca-file",
                   .target = &caFile,
                   .value = "FILE",
                   .help = "PEM with the certificates to trust",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--client-cert",
                   .target = &clientCertificate,
                   .value = "FILE",
                   .help = "PEM with our certificate",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--client-key",
                   .target = &clientKey,
                   .value = "FILE",
                   .help = "PEM with its key",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--chunk",
                   .target = &chunk,
                   .value = "SIZE",
                   .help = "oci: upload in pieces of this size, which go on after a cut"});
    arguments.add({.spelling = "--insecure",
                   .target = &insecure,
                   .help = "trust any certificate: others may read and change what is sent"});
    arguments.add({.spelling = "--plain-http",
                   .target = &plainHttp,
                   .help = "allow http:// to other machines"});
    arguments.add({.spelling = "--secure",
                   .target = &secure,
                   .help = "take --insecure and --plain-http back"});
  }

  void applyTo(RemoteConfig& remote) const {
    if (endpoint) remote.endpoint = *endpoint;
    if (caFile) remote.caFile = *caFile;
    if (clientCertificate) remote.clientCertificate = *clientCertificate;
    if (clientKey) remote.clientKey = *clientKey;
    if (chunk) remote.chunk = *chunk;
    if (secure) remote.insecure = remote.plainHttp = false;
    if (insecure) remote.insecure = true;
    if (plainHttp) remote.plainHttp = true;
  }
};

Argument nameArgument(std::string& target) {
  return {.spelling = "NAME",
          .target = &target,
          .help = "the remote",
          .completes = Completes::Remotes,
          .isRequired = true};
}

void warnOf(Output& output, const RemoteConfig& remote) {
  warnOfInsecure(output, remote);
  if (!remote.unconfirmed.empty()) output.warning(printable(remote.unconfirmed));
}

Attempt<RemoteList> loadRemotes(Context& context) {
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  return *std::move(list);
}

/// For commands that save the list again.
Attempt<FolderMutex> lockRemotes(Context& context) {
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto lock = RemoteList::lock(store->folder());
  if (!lock) return problem(std::move(lock).error());
  return *std::move(lock);
}

Attempt<RemoteConfig*> need(RemoteList& list, const std::string& name) {
  if (RemoteConfig* const remote = list.find(name)) return remote;
  return problem(ErrorCode::NotFound, fmt::format("there is no remote \"{}\"", name),
                 "strata remote list");
}

class RemoteAddCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote add NAME URL [options]",
            .summary = "Give a place to exchange versions with a name.",
            .examples = {"remote add hub hf://acme/models --default",
                         "remote add stick file:///media/stick/models",
                         "remote add lab oci://registry.example.org/models --ca-file lab.pem"},
            .details = "Nothing is sent. The folder or repository is made by the first push."};
  }
  void declare(Arguments& arguments) override {
    arguments.add(
        {.spelling = "NAME", .target = &name_, .help = "what to call it", .isRequired = true});
    arguments.add({.spelling = "URL",
                   .target = &url_,
                   .help = "hf://ORG/REPO, oci://HOST/REPO, s3://BUCKET/PREFIX, file:///DIR",
                   .isRequired = true});
    wishes_.declare(arguments);
  }
  Outcome run(Context& context) override {
    STRATA_TRY(checkPlainName(name_));
    STRATA_ATTEMPT(url_, remoteUrl(url_));
    STRATA_ATTEMPT(const FolderMutex lock, lockRemotes(context));
    STRATA_ATTEMPT(RemoteList list, loadRemotes(context));
    if (list.find(name_) != nullptr) {
      return usage(fmt::format("there is a remote \"{}\" already", name_),
                   fmt::format("strata remote set {} {}", name_, shellWord(url_)));
    }
    RemoteConfig remote{.name = name_, .url = url_};
    wishes_.applyTo(remote);
    STRATA_ATTEMPT(const OpenRemote opened, openRemote(context, remote));
    if (wishes_.isDefault || list.remotes.empty()) list.defaultName = name_;
    list.remotes.push_back(remote);
    STRATA_TRY(list.save(context.storeFolder().value()));
    Output& output = context.output();
    output.document(remoteJson(remote, list.defaultName == name_));
    output.essential(name_);
    output.line(printable(fmt::format("Remote {} is {}{}", name_, url_,
                                      list.defaultName == name_ ? " (default)" : "")));
    warnOfAlikeNames(context, name_);
    return ExitCode::Done;
  }

 private:
  std::string name_;
  std::string url_;
  Wishes wishes_;
};

class RemoteSetCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote set NAME [URL] [options]",
            .summary = "Change where a remote is or how it is reached.",
            .examples = {"remote set hub --default", "remote set lab --ca-file new.pem"}};
  }
  void declare(Arguments& arguments) override {
    arguments.add(nameArgument(name_));
    arguments.add({.spelling = "URL", .target = &url_, .help = "where it is from now on"});
    wishes_.declare(arguments);
  }
  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const FolderMutex lock, lockRemotes(context));
    STRATA_ATTEMPT(RemoteList list, loadRemotes(context));
    STRATA_ATTEMPT(RemoteConfig* const remote, need(list, name_));
    STRATA_TRY(checkConfirmed(*remote));
    if (!url_.empty()) {
      STRATA_ATTEMPT(url_, remoteUrl(url_));
      if (url_ != remoteWord(remote->url)) {
        setFetchedAside(context.storeFolder().value(), name_, remote->url);
      }
      remote->url = url_;
    }
    wishes_.applyTo(*remote);
    if (wishes_.isDefault) list.defaultName = name_;
    STRATA_TRY(list.save(context.storeFolder().value()));
    Output& output = context.output();
    output.document(remoteJson(*remote, list.defaultName == name_));
    output.line(printable(fmt::format("Remote {} is {}{}", name_, remote->url,
                                      list.defaultName == name_ ? " (default)" : "")));
    warnOf(output, *remote);
    return ExitCode::Done;
  }

 private:
  std::string name_;
  std::string url_;
  Wishes wishes_;
};

class RemoteListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote list",
            .summary = "The remotes of this store and what they listed when last asked.",
            .examples = {"remote list"}};
  }
  void declare(Arguments&) override {}
  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const RemoteList list, loadRemotes(context));
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    Output& output = context.output();
    Json remotes = Json::array();
    Table table({{"REMOTE"},
                 {"URL", Align::Left, true},
                 {"VERSIONS", Align::Right},
                 {"TO PUSH", Align::Right},
                 {"TO PULL", Align::Right},
                 {"ASKED"}});
    for (const RemoteConfig& remote : list.remotes) {
      const bool isDefault = remote.name == list.defaultName;
      output.essential(remote.name);
      if (!remote.unconfirmed.empty()) output.warning(printable(remote.unconfirmed));
      // What was kept of a remote and is damaged is as if it was never asked.
      const auto known = remoteDifference(*store, remote.name).value_or(std::nullopt);
      remotes.push_back(withDifference(remoteJson(remote, isDefault), known));
      std::vector<std::string> cells{remote.name + (isDefault ? " *" : ""), remote.url};
      cells.push_back(known ? std::to_string(known->versionCount) : "");
      cells.push_back(known ? withTags(known->toPush, known->tagsToPush) : "");
      cells.push_back(known ? withTags(known->toPull, known->tagsToPull) : "");
      cells.push_back(known ? wordDate(known->fetchedAt) : "");
      table.addRow(std::move(cells));
    }
    output.document({{"remotes", std::move(remotes)}, {"default", list.defaultName}});
    if (list.remotes.empty()) {
      output.advice("No remotes. Next: strata remote add hub hf://ORG/REPO");
    } else {
      table.print(output);
    }
    return ExitCode::Done;
  }
};

std::string_view safetyText(RefSafety safety) noexcept {
  switch (safety) {
    case RefSafety::Atomic:
      return "atomic: of two pushers at once one wins, the other is told";
    case RefSafety::LastWriterWins:
      return "last writer wins: let one person push at a time";
    case RefSafety::ReadOnly:
      return "read only";
  }
  return "";
}

class RemoteShowCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote show NAME [--check]",
            .summary = "One remote: its settings and the versions it listed when last asked.",
            .examples = {"remote show hub", "remote show hub --check"}};
  }
  void declare(Arguments& arguments) override {
    arguments.add(nameArgument(name_));
    arguments.add(
        {.spelling = "--check", .target = &check_, .help = "ask the server what it can do"});
  }
  Outcome run(Context& context) override {
    STRATA_ATTEMPT(RemoteList list, loadRemotes(context));
    STRATA_ATTEMPT(const RemoteConfig* const remote, need(list, name_));
    Output& output = context.output();
    Json document = remoteJson(*remote, list.defaultName == name_);
    output.line(printable(fmt::format("{}  {}", name_, remote->url)));
    if (!remote->endpoint.empty()) output.line(printable("endpoint  " + remote->endpoint));
    if (!remote->caFile.empty()) output.line(printable("CA file  " + remote->caFile));
    if (!check_) warnOf(output, *remote);  // who asks it says so
    if (check_) {
      STRATA_ATTEMPT(const OpenRemote opened, openRemote(context, *remote));
      STRATA_ATTEMPT(const Store* const store, context.openStore());
      auto traits = opened.transport->probe(context.stopToken());
      if (!traits) return problem(remoteProblem(std::move(traits).error(), *remote));
      // A share that is not mounted looks like a place where nobody has pushed yet.
      auto read = readList(*store, *opened.transport, name_, context.stopToken());
      if (!read) return problem(remoteProblem(std::move(read).error(), *remote));
      output.line(printable("server  " + traits->server));
      output.line(fmt::format("refs  {}", safetyText(traits->refs)));
      for (const std::string& note : traits->notes) output.line(printable("note  " + note));
      document["server"] = traits->server;
      document["refs"] = safetyText(traits->refs);
      document["resumes"] = traits->rangedReads;
      document["notes"] = traits->notes;
    }
    STRATA_TRY(const auto fetched, readFetched(context.storeFolder().value(), name_));
    document["versions"] = fetched ? printVersions(output, *fetched) : Json::array();
    if (!fetched) output.advice("Never asked what it has. Next: strata fetch " + name_);
    output.document(std::move(document));
    return ExitCode::Done;
  }

 private:
  static Json printVersions(Output& output, const FetchedListing& fetched) {
    const RemoteLibrary library = RemoteLibrary::from(fetched.listing);
    Json versions = Json::array();
    Table table({{"VERSION", Align::Left, true},
                 {"HASH"},
                 {"ORIGINAL", Align::Right},
                 {"STORED", Align::Right},
                 {"TAGS"},
                 {"SCORE", Align::Left, true},
                 {"NOTE", Align::Left, true}});
    for (const RemoteVersion& version : library.versions) {
      const std::vector<std::string> tags = library.tagsOf(version);
      versions.push_back(toJson(version, tags));
      table.addRow({version.ref.label(), shortHex(version.ref.contentDigest),
                    wordBytes(version.originalBytes), wordBytes(version.ref.storedBytes),
                    fmt::format("{}", fmt::join(tags, ", ")), scoresText(version),
                    version.ref.note});
    }
    table.print(output);
    output.line(fmt::format("as of {}", wordDate(fetched.fetchedAt)));
    return versions;
  }

  std::string name_;
  bool check_ = false;
};

class RemoteRenameCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote rename NAME NEW",
            .summary = "Give a remote another name.",
            .examples = {"remote rename origin hub"}};
  }
  void declare(Arguments& arguments) override {
    arguments.add(nameArgument(name_));
    arguments.add(
        {.spelling = "NEW", .target = &newName_, .help = "its new name", .isRequired = true});
  }
  Outcome run(Context& context) override {
    STRATA_TRY(checkPlainName(newName_));
    STRATA_ATTEMPT(const FolderMutex lock, lockRemotes(context));
    STRATA_ATTEMPT(RemoteList list, loadRemotes(context));
    if (list.find(newName_) != nullptr) {
      return usage(fmt::format("there is a remote \"{}\" already", newName_));
    }
    STRATA_ATTEMPT(RemoteConfig* const remote, need(list, name_));
    STRATA_TRY(checkConfirmed(*remote));
    remote->name = newName_;
    if (list.defaultName == name_) list.defaultName = newName_;
    STRATA_TRY(list.save(context.storeFolder().value()));
    renameFetched(context.storeFolder().value(), name_, newName_);
    context.output().document({{"name", newName_}, {"was", name_}});
    context.output().line(fmt::format("Remote {} is called {} now", name_, newName_));
    warnOfAlikeNames(context, newName_);
    return ExitCode::Done;
  }

 private:
  std::string name_;
  std::string newName_;
};

class RemoteRemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote remove NAME",
            .summary = "Forget a remote; what it holds stays as it is.",
            .examples = {"remote remove stick"}};
  }
  void declare(Arguments& arguments) override { arguments.add(nameArgument(name_)); }
  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const FolderMutex lock, lockRemotes(context));
    STRATA_ATTEMPT(RemoteList list, loadRemotes(context));
    STRATA_ATTEMPT(const RemoteConfig* const remote, need(list, name_));
    const std::string url = remote->url;
    std::erase_if(list.remotes, [&](const RemoteConfig& one) { return one.name == name_; });
    if (list.defaultName == name_) list.defaultName.clear();
    STRATA_TRY(list.save(context.storeFolder().value()));
    setFetchedAside(context.storeFolder().value(), name_, url);
    context.output().document({{"removed", name_}, {"url", url}});
    context.output().line(printable(fmt::format("Forgot {} ({})", name_, url)));
    return ExitCode::Done;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> makeRemoteAdd() { return std::make_unique<RemoteAddCommand>(); }
std::unique_ptr<Command> makeRemoteSet() { return std::make_unique<RemoteSetCommand>(); }
std::unique_ptr<Command> makeRemoteList() { return std::make_unique<RemoteListCommand>(); }
std::unique_ptr<Command> makeRemoteShow() { return std::make_unique<RemoteShowCommand>(); }
std::unique_ptr<Command> makeRemoteRename() { return std::make_unique<RemoteRenameCommand>(); }
std::unique_ptr<Command> makeRemoteRemove() { return std::make_unique<RemoteRemoveCommand>(); }

}  // namespace strata::cli
