#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strata::test {

/// A request as it arrived. Header names are in lower case.
struct SeenRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;
  std::string body;
};

/// An answer, and what is wrong with it.
struct FaultReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::optional<std::size_t> announcedBytes = {};  ///< another Content-Length than the body's
  std::optional<std::size_t> cutAfter = {};        ///< closes after so many bytes of the body
  bool stalls = false;                             ///< … or keeps the line open without a word
  bool trickles = false;                           ///< … or sends blanks, one at a time
  bool isSilent = false;                           ///< closes without any answer
  bool isMute = false;                             ///< keeps the line open without any answer
};

/// An HTTP server on the loopback that misbehaves as told. One thread a connection; kept-alive
/// connections are served.
class FaultServer {
 public:
  using Handler = std::function<FaultReply(const SeenRequest&)>;
  /// `handler` is called one request at a time.
  explicit FaultServer(Handler handler);
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  std::string url(const std::string& path = "/") const;
  /// The same server under another name: another origin.
  std::string otherUrl(const std::string& path = "/") const;
  std::vector<SeenRequest> seen() const;
  std::size_t connectionCount() const { return connections_; }

 private:
  void accept();
  void serve(int socket);
  bool answer(int socket, const FaultReply& reply);
  void misbehave(int socket, const FaultReply& reply);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stops_ = false;
  std::atomic<std::size_t> connections_ = 0;
  mutable std::mutex mutex_;  // guards seen_, sockets_, threads_ and calls of handler_
  std::vector<SeenRequest> seen_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace strata::test
