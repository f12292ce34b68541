#include "gui/jobs/auth_ops.h"

#include <QCoreApplication>
#include <filesystem>

#include "core/config/config.h"
#include "core/config/user_folders.h"
#include "gui/models/wording.h"
#include "hub/store_remote.h"

namespace strata::gui {
namespace {

namespace fs = std::filesystem;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::AuthOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

RemoteConfig hubItself() { return {.name = {}, .url = "hf://"}; }

Result<hub::CredentialServer> serverOf(const QString& folder, const RemoteConfig& remote) {
  std::optional<fs::path> storeFile;
  if (!folder.isEmpty()) storeFile = fs::path(folder.toStdString()) / "config.toml";
  STRATA_TRY(const Config config, Config::load(userConfigFile(), storeFile));
  return hub::credentialServer(remote, hub::transportOptions(config, STRATA_VERSION),
                               hub::processEnvironment());
}

CredentialRow rowOf(const RemoteConfig& remote, const hub::CredentialServer& server, Stop stop) {
  CredentialRow row{.remote = remote,
                    .service = server.query.service,
                    .host = text(server.query.host),
                    .status = {},
                    .problem = {}};
  auto status = hub::loginStatus(hub::Credentials(), server, hub::AskServer::No, stop);
  if (status) {
    row.status = *std::move(status);
  } else {
    row.problem = text(status.error().message);
  }
  return row;
}

Result<std::vector<CredentialRow>> readCredentials(const QString& folder, Stop stop) {
  std::vector<RemoteConfig> remotes{hubItself()};
  if (!folder.isEmpty()) {
    STRATA_TRY(const RemoteList list, RemoteList::load(folder.toStdString()));
    remotes.insert(remotes.end(), list.remotes.begin(), list.remotes.end());
  }
  std::vector<CredentialRow> rows;
  for (const RemoteConfig& remote : remotes) {
    const auto server = serverOf(folder, remote);
    if (!server && server.error().code == ErrorCode::Unsupported) continue;  // a folder
    if (server) {
      rows.push_back(rowOf(remote, *server, stop));
    } else {
      rows.push_back({.remote = remote,
                      .service = hub::Service::HuggingFace,
                      .host = text(remote.url),
                      .status = {},
                      .problem = text(server.error().message)});
    }
  }
  return rows;
}

QString shown(const RemoteConfig& remote) {
  return text(remote.name.empty() ? remote.url : remote.name);
}

}  // namespace

OpJob<std::vector<CredentialRow>>* credentialsJob(const QString& folder) {
  return new OpJob<std::vector<CredentialRow>>(
      Words::tr("Reading credentials"), Words::tr("The credentials could not be looked up"),
      [folder](Stop stop, Sink) { return readCredentials(folder, stop); });
}

OpJob<hub::LoginStatus>* checkLoginJob(const QString& folder, const RemoteConfig& remote) {
  return new OpJob<hub::LoginStatus>(
      Words::tr("Asking %1").arg(shown(remote)),
      Words::tr("%1 could not be asked").arg(shown(remote)),
      [folder, remote](Stop stop, Sink) -> Result<hub::LoginStatus> {
        STRATA_TRY(const hub::CredentialServer server, serverOf(folder, remote));
        return hub::loginStatus(hub::Credentials(), server, hub::AskServer::Yes, stop);
      });
}

OpJob<hub::LoginReport>* loginJob(const QString& folder, const RemoteConfig& remote,
                                  const hub::Credential& credential) {
  return new OpJob<hub::LoginReport>(
      Words::tr("Logging in to %1").arg(shown(remote)),
      Words::tr("The login to %1 could not be kept").arg(shown(remote)),
      [folder, remote, credential](Stop stop, Sink) -> Result<hub::LoginReport> {
        STRATA_TRY(const hub::CredentialServer server, serverOf(folder, remote));
        return hub::logIn(hub::Credentials(), server, credential, stop);
      });
}

OpJob<hub::LogoutReport>* logoutJob(const QString& folder, const RemoteConfig& remote) {
  return new OpJob<hub::LogoutReport>(
      Words::tr("Logging out of %1").arg(shown(remote)),
      Words::tr("The login to %1 could not be forgotten").arg(shown(remote)),
      [folder, remote](Stop, Sink) -> Result<hub::LogoutReport> {
        STRATA_TRY(const hub::CredentialServer server, serverOf(folder, remote));
        return hub::logOut(hub::Credentials(), server);
      });
}

}  // namespace strata::gui
