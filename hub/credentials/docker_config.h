#pragma once

#include <optional>

#include "hub/credentials/credential.h"

namespace strata::hub {

/// The credential that docker's and podman's tools have for a registry, in their order:
/// $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json, $XDG_CONFIG_HOME/containers/
/// auth.json, $DOCKER_CONFIG/config.json or ~/.docker/config.json. Their helper programs
/// (credHelpers, credsStore) are asked, too. Nothing if there is none; files that make no sense are
/// passed over.
std::optional<Credential> dockerCredential(const CredentialQuery& query,
                                           const Environment& environment);

}  // namespace strata::hub
