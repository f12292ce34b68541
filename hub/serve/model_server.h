#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/store/store.h"
#include "hub/serve/web_exchange.h"

namespace strata::hub {

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;                   ///< 0: any free one
  std::vector<std::string> hostNames = {};  ///< that requests may name beside `host` (HostRule)
  std::uint64_t memoryBytes = 0;            ///< of restored bytes that are kept for the next client
  std::string token = {};  ///< a secret that clients must bring; empty: none needed
};

/// A read-only endpoint over a store that speaks as much of the Hugging Face API as downloads
/// need. Each block is checked before it is sent; damage ends the connection before the end of the
/// file, so that no client takes what it got for the whole.
class ModelServer {
 public:
  /// Takes the address; from now on clients can connect. `store` must outlive the server, `log`
  /// is called from many threads at once. Fails with Io.
  static Result<std::unique_ptr<ModelServer>> bind(const Store& store, const ServeOptions& options,
                                                   WebLog log);
  ~ModelServer();

  /// "http://127.0.0.1:8321".
  const std::string& url() const noexcept { return url_; }
  /// Serves until `stop`. Once. Fails with Io.
  Result<void> run(const std::stop_token& stop);

 private:
  struct State;
  ModelServer(std::unique_ptr<State> state, std::string url);
  std::unique_ptr<State> state_;
  std::string url_;
};

}  // namespace strata::hub
