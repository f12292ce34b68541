#include <fmt/format.h>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/secret_input.h"
#include "cli/words/command.h"
#include "core/transfer/remote_config.h"
#include "hub/accounts/account_access.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

/// The remote that `word` names. Empty: the store's default one if it needs credentials, else the
/// Hugging Face Hub. URLs need no store.
Attempt<RemoteConfig> remoteOf(Context& context, const std::string& word) {
  if (isRemoteUrl(word)) return RemoteConfig{.name = {}, .url = word};
  const auto store = context.openStore();
  if (!store && !word.empty()) return problem(store.error());
  const RemoteConfig hub{.name = {}, .url = "hf://"};
  if (!store) return hub;
  STRATA_ATTEMPT(const RemoteList list, RemoteList::load((*store)->folder()));
  if (word.empty() && list.remotes.empty()) return hub;
  auto chosen = list.choose(word);
  if (!chosen && !word.empty()) {
    return problem({std::move(chosen).error(), "strata remote list"});
  }
  if (!chosen || (word.empty() && chosen->url.starts_with("file://"))) return hub;
  return *std::move(chosen);
}

Attempt<hub::CredentialServer> serverOf(Context& context, const std::string& word) {
  STRATA_ATTEMPT(const RemoteConfig remote, remoteOf(context, word));
  const hub::TransportOptions options = hub::transportOptions(context.config(), STRATA_VERSION);
  auto server = hub::credentialServer(remote, options, hub::processEnvironment());
  if (!server) return problem(Problem(std::move(server).error()));
  warnOfInsecure(context.output(), remote);
  return *std::move(server);
}

void declareServer(Arguments& arguments, std::string& word) {
  arguments.add({.spelling = "REMOTE",
                 .target = &word,
                 .help = "a remote's name, or hf://, oci://HOST, s3://BUCKET",
                 .completes = Completes::Remotes});
}

Json serverJson(const hub::CredentialServer& server) {
  return {{"service", hub::name(server.query.service)},
          {"host", server.query.host},
          {"remote", server.query.remote.empty() ? Json(nullptr) : Json(server.query.remote)}};
}

/// Says that the server was not asked, and why.
void warnOf(Output& output, const std::string& unchecked) {
  if (!unchecked.empty()) output.warning(printable("not checked: " + unchecked));
}

class LoginCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "auth login [REMOTE] [--user NAME] [--token-stdin]",
            .summary = "Keep a token or password for a server, in the keychain if there is one.",
            .examples = {"auth login", "auth login hf:// --token-stdin < token.txt",
                         "auth login oci://registry.example.org --user me"},
            .details =
                "The secret is asked for without showing it, or read from stdin; it is "
                "never an argument. Without a keychain it goes to a file that only you can "
                "read. Of S3, --user is the access key's id."};
  }

  void declare(Arguments& arguments) override {
    declareServer(arguments, word_);
    arguments.add({.spelling = "--user",
                   .target = &user_,
                   .value = "NAME",
                   .help = "user name; of S3 the access key's id"});
    arguments.add(
        {.spelling = "--token-stdin", .target = &fromStdin_, .help = "read the secret from stdin"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const hub::CredentialServer server, serverOf(context, word_));
    hub::Credential credential;
    STRATA_ATTEMPT(credential.user, user(context, server));
    STRATA_ATTEMPT(credential.secret, secret(context, server));
    STRATA_ATTEMPT(const hub::LoginReport report,
                   hub::logIn(hub::Credentials(), server, credential, context.stopToken()));
    Output& output = context.output();
    Json fields = serverJson(server);
    fields["account"] = report.account.empty() ? Json(nullptr) : Json(report.account);
    fields["kept_in"] = report.place;
    fields["checked"] = report.unchecked.empty();
    output.document(std::move(fields));
    output.essential(server.query.host);
    output.line(printable(fmt::format("Logged in to {}{}{}", server.label(),
                                      report.account.empty() ? "" : " as ", report.account)));
    output.line(printable("  kept in " + report.place));
    warnOf(output, report.unchecked);
    return ExitCode::Done;
  }

 private:
  Attempt<std::string> user(Context& context, const hub::CredentialServer& server) const {
    if (server.query.service == hub::Service::HuggingFace || !user_.empty()) return user_;
    if (fromStdin_ || context.global().noInput) {
      return usage(fmt::format("{} wants a user name", server.label()),
                   "strata auth login REMOTE --user NAME --token-stdin");
    }
    return askLine(server.query.service == hub::Service::ObjectStore ? "Access key id: "
                                                                     : "User name: ");
  }

  Attempt<std::string> secret(Context& context, const hub::CredentialServer& server) const {
    if (fromStdin_) return readSecretLine();
    if (context.global().noInput) return usage("give the secret on stdin with --token-stdin");
    return askSecret(server.query.service == hub::Service::HuggingFace ? "Token: " : "Password: ");
  }

  std::string word_;
  std::string user_;
  bool fromStdin_ = false;
};

class LogoutCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "auth logout [REMOTE]",
            .summary = "Forget what auth login kept for a server.",
            .examples = {"auth logout", "auth logout oci://registry.example.org"},
            .details = "Variables and the files of other tools stay as they are."};
  }

  void declare(Arguments& arguments) override { declareServer(arguments, word_); }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const hub::CredentialServer server, serverOf(context, word_));
    STRATA_ATTEMPT(const hub::LogoutReport report, hub::logOut(hub::Credentials(), server));
    Output& output = context.output();
    Json fields = serverJson(server);
    fields["removed"] = report.wasThere;
    fields["still_from"] = report.stillFrom ? Json(*report.stillFrom) : Json(nullptr);
    output.document(std::move(fields));
    output.line(printable(fmt::format(
        "{} {}", report.wasThere ? "Logged out of" : "Nothing was kept for", server.label())));
    if (report.stillFrom) output.line(printable("  still used: " + *report.stillFrom));
    return ExitCode::Done;
  }

 private:
  std::string word_;
};

class StatusCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "auth status [REMOTE]",
            .summary = "Where the credential of a server comes from, and whose it is.",
            .examples = {"auth status", "auth status s3://models"},
            .details =
                "Exit code 4 if there is none, or the server refuses it. The secret is "
                "never shown."};
  }

  void declare(Arguments& arguments) override { declareServer(arguments, word_); }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const hub::CredentialServer server, serverOf(context, word_));
    STRATA_ATTEMPT(
        const hub::LoginStatus status,
        hub::loginStatus(hub::Credentials(), server, hub::AskServer::Yes, context.stopToken()));
    if (status.sources.empty()) {
      return problem(ErrorCode::LoginRequired, fmt::format("{}: no credential", server.label()),
                     "strata auth login " + (word_.empty() ? "hf://" : word_));
    }
    print(context.output(), server, status);
    return ExitCode::Done;
  }

 private:
  static void print(Output& output, const hub::CredentialServer& server,
                    const hub::LoginStatus& status) {
    Json fields = serverJson(server);
    fields["account"] = status.account.empty() ? Json(nullptr) : Json(status.account);
    fields["sources"] = status.sources;
    fields["checked"] = status.unchecked.empty();
    output.document(std::move(fields));
    output.essential(status.sources.front());
    output.line(printable(server.label()));
    if (!status.account.empty()) output.line(printable("  as    " + status.account));
    output.line(printable("  from  " + status.sources.front()));
    for (std::size_t i = 1; i < status.sources.size(); ++i) {
      output.line(printable("  not used: " + status.sources[i]));
    }
    warnOf(output, status.unchecked);
  }

  std::string word_;
};

}  // namespace

std::unique_ptr<Command> makeAuthLogin() { return std::make_unique<LoginCommand>(); }
std::unique_ptr<Command> makeAuthLogout() { return std::make_unique<LogoutCommand>(); }
std::unique_ptr<Command> makeAuthStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace strata::cli
