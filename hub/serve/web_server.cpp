#include "hub/serve/web_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "hub/serve/client_stream.h"
#include "hub/serve/connection_threads.h"
#include "hub/serve/waiting_room.h"

namespace strata::hub {
namespace {

constexpr std::size_t kMostRequestsOfAConnection = 1000;
constexpr std::size_t kMostTargetBytes = 4096;
constexpr std::size_t kMostWithoutRequest = 512;
constexpr int kMostNotAccepted = 512;

WebAnswer refusal(int status, const std::string& reason) {
  WebAnswer answer;
  answer.status = status;
  answer.contentType = "text/plain";
  answer.body = reason + "\n";
  return answer;
}

/// Runs at once what the library hands over: connections go to the waiting room, which takes no
/// time.
class NoQueue final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> work) override { work(); }
  void shutdown() override {}
};

std::string pathOf(const std::string& target) { return target.substr(0, target.find('?')); }

}  // namespace

/// The library's server with our streams, limits and threads.
class WebServer::Library final : public httplib::Server {
 public:
  Library(WebHandler handler, WebLog log, std::size_t mostConnections)
      : handler_(std::move(handler)),
        log_(std::move(log)),
        threads_(mostConnections, [this](Connection one) { serve(std::move(one)); }),
        room_(kMostWithoutRequest, [this](Connection one) { threads_.enqueue(std::move(one)); }) {
    new_task_queue = [] { return new NoQueue; };
    set_payload_max_length(kMostBodyBytes);
    set_tcp_nodelay(true);
    set_keep_alive_max_count(kMostRequestsOfAConnection);  // what the answers say of it
    set_keep_alive_timeout(kIdleLimit.count());
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (request.method == "POST" && !isTooMuch(request)) return HandlerResponse::Unhandled;
      answer(request, response);
      return HandlerResponse::Handled;
    });
    Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    });
  }

  void run(const std::stop_token& stop) {
    std::jthread stopper([this, &stop](const std::stop_token& ended) {
      while (!stop.stop_requested() && !ended.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      isStopping_ = true;
      // The library forgets a stop that comes before its loop has begun.
      while (!ended.stop_requested()) {
        httplib::Server::stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
    // The library lets the system keep five; of a burst, others are told to come back in a second.
    ::listen(svr_sock_, kMostNotAccepted);
    listen_after_bind();
    isStopping_ = true;
    room_.close();
    threads_.shutdown();
  }

 private:
  static constexpr const char* kBodyType = "X-Body-Type";

  bool process_and_close_socket(int socket) override {
    while (threads_.isFull() && !isStopping_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    room_.enter({socket, addressOf(socket)});
    return true;
  }

  /// Answers the request that is there, and what came along with it.
  void serve(Connection connection) {
    ClientStream stream(connection.socket, isStopping_, [this] { return threads_.isShort(); });
    const auto prepare = [&stream](httplib::Request& request) { prepareRequest(request, stream); };
    for (;;) {
      stream.beginHead();
      bool isClosed = false;
      const bool isLast =
          ++connection.answeredRequests == kMostRequestsOfAConnection || isStopping_;
      const bool isDone = process_request(stream, isLast, isClosed, prepare);
      if (!isDone || isClosed || isLast || stream.isBroken()) break;
      if (!stream.hasMore()) return room_.enter(std::move(connection));
    }
    stream.linger();
    ::close(connection.socket);
  }

  /// The head is read. Ranges, codings and bodies are ours to judge, so the library must not see
  /// the lines that it would act on by rules and limits of its own.
  static void prepareRequest(httplib::Request& request, ClientStream& stream) {
    request.ranges.clear();
    request.headers.erase("Accept-Encoding");
    const std::string type = request.get_header_value("Content-Type");
    request.headers.erase("Content-Type");
    request.headers.emplace(kBodyType, type);
    // A body without a length is none; the library would wait until the client closes.
    const bool hasBody =
        request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (!hasBody) request.headers.emplace("Content-Length", "0");
    stream.beginBody(isTooMuch(request) || !hasBody ? 0 : kMostBodyBytes);
  }

  static bool isTooMuch(const httplib::Request& request) {
    const std::string length = request.get_header_value("Content-Length");
    return request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding") ||
           length.size() > 7 || std::atoll(length.c_str()) > std::int64_t{kMostBodyBytes};
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const WebRequest asked{
        .method = request.method,
        .target = request.target,
        .body = request.body,
        .header = [&](const char* name) {
          const bool isType = std::strcmp(name, "Content-Type") == 0;
          const bool isRange = std::strcmp(name, "Range") == 0;
          return request.get_header_value(isType ? kBodyType : isRange ? kRangeLine : name);
        }};
    WebAnswer made;
    if (request.target.size() > kMostTargetBytes) {
      made = refusal(414, "the path is too long");
    } else if (isTooMuch(request)) {
      made = refusal(413, "the body is too large, or of a coding that is not taken");
    } else {
      made = handler_(asked);
    }
    if (isTooMuch(request)) made.headers.emplace_back("Connection", "close");
    send(std::move(made), request, response);
  }

  void send(WebAnswer made, const httplib::Request& request, httplib::Response& response) {
    response.status = made.status;
    for (const auto& [name, value] : made.headers) response.set_header(name, value);
    WebLogEntry entry{request.remote_addr, request.method,   pathOf(request.target),
                      made.status,         made.body.size(), {}};
    if (made.source == nullptr) {
      response.set_content(made.body, made.contentType);
      log_(entry);
      return;
    }
    const bool isHead = request.method == "HEAD";
    auto flow = std::make_shared<Flow>(std::move(made.source), made.firstByte, std::move(entry));
    response.set_content_provider(
        made.byteCount, made.contentType,
        [flow](std::size_t offset, std::size_t left, httplib::DataSink& sink) {
          return flow->push(offset, left, sink);
        },
        [this, flow, isHead](bool succeeded) {
          if (!succeeded && !isHead && flow->entry.failure.empty()) {
            flow->entry.failure = "the client went away";
          }
          log_(flow->entry);
        });
  }

  /// A body on its way out.
  struct Flow {
    Flow(std::unique_ptr<BodySource> from, std::uint64_t first, WebLogEntry logged)
        : source(std::move(from)), firstByte(first), entry(std::move(logged)) {}

    bool push(std::uint64_t offset, std::uint64_t left, httplib::DataSink& sink) {
      const auto bytes = source->read(firstByte + offset);
      if (!bytes) {
        entry.failure = bytes.error().message;
        return false;
      }
      const std::size_t n = std::min<std::uint64_t>(bytes->size(), left);
      if (!sink.write(reinterpret_cast<const char*>(bytes->data()), n)) return false;
      entry.sentBytes += n;
      return true;
    }

    std::unique_ptr<BodySource> source;
    std::uint64_t firstByte;
    WebLogEntry entry;
  };

  WebHandler handler_;
  WebLog log_;
  std::atomic<bool> isStopping_{false};
  ConnectionThreads threads_;
  WaitingRoom room_;
};

WebServer::WebServer(WebHandler handler, WebLog log, std::size_t mostConnections)
    : library_(std::make_unique<Library>(std::move(handler), std::move(log), mostConnections)) {}

WebServer::~WebServer() = default;

Result<std::uint16_t> WebServer::bind(const std::string& host, std::uint16_t port) {
  errno = 0;
  const int bound = port == 0 ? library_->bind_to_any_port(host)
                              : (library_->bind_to_port(host, port) ? port : -1);
  if (bound > 0) return static_cast<std::uint16_t>(bound);
  return fail(ErrorCode::Io, fmt::format("cannot listen on {}:{}: {}", host, port,
                                         errno != 0 ? std::strerror(errno) : "no such address"));
}

Result<void> WebServer::run(const std::stop_token& stop) {
  library_->run(stop);
  if (stop.stop_requested()) return {};
  return fail(ErrorCode::Io, "the listening socket failed");
}

}  // namespace strata::hub
