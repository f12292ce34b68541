#include "hub/serve/model_server.h"

#include <fmt/format.h>

#include "hub/serve/hub_api.h"
#include "hub/serve/served_models.h"
#include "hub/serve/web_server.h"

namespace strata::hub {

/// The parts, each used by the next.
struct ModelServer::State {
  State(const Store& store, const ServeOptions& options, WebLog log)
      : models(store, options.memoryBytes),
        api(models, options.token, HostRule(options.host, options.hostNames)),
        web([this](const WebRequest& request) { return api.answer(request); }, std::move(log)) {}

  ServedModels models;
  HubApi api;
  WebServer web;
};

ModelServer::ModelServer(std::unique_ptr<State> state, std::string url)
    : state_(std::move(state)), url_(std::move(url)) {}

ModelServer::~ModelServer() = default;

Result<std::unique_ptr<ModelServer>> ModelServer::bind(const Store& store,
                                                       const ServeOptions& options, WebLog log) {
  auto state = std::make_unique<State>(store, options, std::move(log));
  STRATA_TRY(const std::uint16_t port, state->web.bind(options.host, options.port));
  const bool isIpv6 = options.host.find(':') != std::string::npos;
  const std::string host = isIpv6 ? '[' + options.host + ']' : options.host;
  std::string url = fmt::format("http://{}:{}", host, port);
  return std::unique_ptr<ModelServer>(new ModelServer(std::move(state), std::move(url)));
}

Result<void> ModelServer::run(const std::stop_token& stop) { return state_->web.run(stop); }

}  // namespace strata::hub
