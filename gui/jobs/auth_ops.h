#pragma once

#include <QString>
#include <vector>

#include "core/transfer/remote_config.h"
#include "gui/jobs/job.h"
#include "hub/accounts/account_access.h"

namespace strata::gui {

/// A server that wants credentials, and where they come from; never the secret itself.
struct CredentialRow {
  RemoteConfig remote;  ///< one of the store; without a name: the Hugging Face Hub
  hub::Service service = hub::Service::HuggingFace;
  QString host;
  hub::LoginStatus status;
  QString problem;  ///< why the status is not known; empty where it is
};

/// Jobs over `strata auth`. `folder` is that of the open store, or empty.

/// The Hugging Face Hub and each remote that wants credentials; asks no server.
OpJob<std::vector<CredentialRow>>* credentialsJob(const QString& folder);
/// Asks the server whose the secret is.
OpJob<hub::LoginStatus>* checkLoginJob(const QString& folder, const RemoteConfig& remote);
OpJob<hub::LoginReport>* loginJob(const QString& folder, const RemoteConfig& remote,
                                  const hub::Credential& credential);
OpJob<hub::LogoutReport>* logoutJob(const QString& folder, const RemoteConfig& remote);

}  // namespace strata::gui
