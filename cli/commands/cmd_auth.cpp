#include <fmt/format.h>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/secret_input.h"
#include "core/transfer/remote_config.h"
#include "hub/credentials/credentials.h"
#include "hub/credentials/secret_file.h"
#include "hub/credentials/whoami.h"
#include "hub/http/http_client.h"
#include "hub/remote_http.h"

namespace strata::cli {
namespace {

/// What the three commands share: which server is meant.
struct Server {
  hub::CredentialQuery query;
  std::string endpoint;  ///< of the Hugging Face API
  hub::HttpSettings http;

  std::string label() const {
    return fmt::format("{}://{}{}{}", hub::name(query.service), query.host,
                       query.remote.empty() ? "" : "  remote ", query.remote);
  }
};

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

Attempt<Server> serverOf(Context& context, const std::string& word) {
  const hub::Environment environment = hub::processEnvironment();
  STRATA_ATTEMPT(const RemoteConfig remote, remoteOf(context, word));
  const hub::TransportOptions options{.offline = context.config().isOn("offline"),
                                      .proxy = context.config().text("proxy"),
                                      .version = STRATA_VERSION};
  Server server;
  server.http = hub::httpSettingsOf(remote, options);
  STRATA_ATTEMPT(server.query,
                 hub::credentialQuery(remote.url, remote.endpoint, remote.name, environment));
  server.endpoint =
      remote.endpoint.empty() ? hub::huggingFaceEndpoint(environment) : remote.endpoint;
  return server;
}

void declareServer(Arguments& arguments, std::string& word) {
  arguments.add({.spelling = "REMOTE",
                 .target = &word,
                 .help = "a remote's name, or hf://, oci://HOST, s3://BUCKET",
                 .completes = Completes::Remotes});
}

Json serverJson(const Server& server) {
  return {{"service", hub::name(server.query.service)},
          {"host", server.query.host},
          {"remote", server.query.remote.empty() ? Json(nullptr) : Json(server.query.remote)}};
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
    STRATA_ATTEMPT(const Server server, serverOf(context, word_));
    hub::Credential credential;
    STRATA_ATTEMPT(credential.user, user(context, server));
    STRATA_ATTEMPT(const std::string typed, secret(context, server));
    STRATA_ATTEMPT(credential.secret, hub::cleanToken(typed, "the secret"));
    std::string account = credential.user;
    if (server.query.service == hub::Service::HuggingFace && !server.http.offline) {
      hub::HttpClient client(server.http);
      STRATA_ATTEMPT(const hub::Account found,
                     hub::whoAmI(client, server.endpoint, credential.secret, context.stopToken()));
      account = found.role.empty() ? found.name : fmt::format("{} ({})", found.name, found.role);
    }
    STRATA_ATTEMPT(const std::string place, hub::Credentials().save(server.query, credential));
    Output& output = context.output();
    Json fields = serverJson(server);
    fields["account"] = account.empty() ? Json(nullptr) : Json(account);
    fields["kept_in"] = place;
    output.document(std::move(fields));
    output.essential(server.query.host);
    output.line(printable(fmt::format("Logged in to {}{}{}", server.label(),
                                      account.empty() ? "" : " as ", account)));
    output.line(printable("  kept in " + place));
    return ExitCode::Done;
  }

 private:
  Attempt<std::string> user(Context& context, const Server& server) const {
    if (server.query.service == hub::Service::HuggingFace || !user_.empty()) return user_;
    if (fromStdin_ || context.global().noInput) {
      return usage(fmt::format("{} wants a user name", server.label()),
                   "strata auth login REMOTE --user NAME --token-stdin");
    }
    return askLine(server.query.service == hub::Service::ObjectStore ? "Access key id: "
                                                                     : "User name: ");
  }

  Attempt<std::string> secret(Context& context, const Server& server) const {
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
    STRATA_ATTEMPT(const Server server, serverOf(context, word_));
    const hub::Credentials credentials;
    STRATA_ATTEMPT(const bool wasThere, credentials.remove(server.query));
    STRATA_ATTEMPT(const auto left, credentials.find(server.query));
    Output& output = context.output();
    Json fields = serverJson(server);
    fields["removed"] = wasThere;
    fields["still_from"] = left ? Json(left->source) : Json(nullptr);
    output.document(std::move(fields));
    output.line(printable(
        fmt::format("{} {}", wasThere ? "Logged out of" : "Nothing was kept for", server.label())));
    if (left) output.line(printable("  still used: " + left->source));
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
    STRATA_ATTEMPT(const Server server, serverOf(context, word_));
    STRATA_ATTEMPT(const auto found, hub::Credentials().all(server.query));
    if (found.empty()) {
      return problem(ErrorCode::LoginRequired, fmt::format("{}: no credential", server.label()),
                     "strata auth login " + (word_.empty() ? "hf://" : word_));
    }
    std::string account = found.front().user;
    if (server.query.service == hub::Service::HuggingFace && !server.http.offline) {
      hub::HttpClient client(server.http);
      auto asked = hub::whoAmI(client, server.endpoint, found.front().secret, context.stopToken());
      if (!asked) return problem(asked.error().within(found.front().source));
      account =
          asked->role.empty() ? asked->name : fmt::format("{} ({})", asked->name, asked->role);
    }
    print(context.output(), server, found, account);
    return ExitCode::Done;
  }

 private:
  static void print(Output& output, const Server& server, const std::vector<hub::Credential>& found,
                    const std::string& account) {
    Json fields = serverJson(server);
    fields["account"] = account.empty() ? Json(nullptr) : Json(account);
    fields["sources"] = Json::array();
    for (const hub::Credential& one : found) fields["sources"].push_back(one.source);
    output.document(std::move(fields));
    output.essential(found.front().source);
    output.line(printable(server.label()));
    if (!account.empty()) output.line(printable("  as    " + account));
    output.line(printable("  from  " + found.front().source));
    for (std::size_t i = 1; i < found.size(); ++i) {
      output.line(printable("  not used: " + found[i].source));
    }
  }

  std::string word_;
};

}  // namespace

std::unique_ptr<Command> makeAuthLogin() { return std::make_unique<LoginCommand>(); }
std::unique_ptr<Command> makeAuthLogout() { return std::make_unique<LogoutCommand>(); }
std::unique_ptr<Command> makeAuthStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace strata::cli
