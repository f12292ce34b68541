#include "tests/support/fault_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>

namespace strata::test {
namespace {

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Reads until `buffer` has `count` bytes; false at the end of the line.
bool fill(int socket, std::string& buffer, std::size_t count) {
  char chunk[65536];
  while (buffer.size() < count) {
    const ssize_t got = ::recv(socket, chunk, sizeof chunk, 0);
    if (got <= 0) return false;
    buffer.append(chunk, static_cast<std::size_t>(got));
  }
  return true;
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool readRequest(int socket, std::string& buffer, SeenRequest& request) {
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!fill(socket, buffer, buffer.size() + 1)) return false;
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  const std::size_t space = head.find(' ');
  request.method = head.substr(0, space);
  request.target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t line = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    if (colon < line) {
      request.headers[lowered(head.substr(at, colon - at))] =
          head.substr(colon + 2, line - colon - 2);
    }
    at = line + 2;
  }
  if (request.headers.contains("expect") && !sendAll(socket, "HTTP/1.1 100 Continue\r\n\r\n")) {
    return false;
  }
  const auto length = request.headers.find("content-length");
  const std::size_t bytes =
      length == request.headers.end() ? 0 : std::strtoull(length->second.c_str(), nullptr, 10);
  if (!fill(socket, buffer, bytes)) return false;
  request.body = buffer.substr(0, bytes);
  buffer.erase(0, bytes);
  return true;
}

}  // namespace

FaultServer::FaultServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept(); });
}

FaultServer::~FaultServer() {
  stops_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::scoped_lock lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
}

std::string FaultServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::string FaultServer::otherUrl(const std::string& path) const {
  return "http://localhost:" + std::to_string(port_) + path;
}

std::vector<SeenRequest> FaultServer::seen() const {
  const std::scoped_lock lock(mutex_);
  return seen_;
}

void FaultServer::accept() {
  while (!stops_) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) return;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ++connections_;
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void FaultServer::serve(int socket) {
  std::string buffer;
  SeenRequest request;
  while (readRequest(socket, buffer, request)) {
    FaultReply reply;
    {
      const std::scoped_lock lock(mutex_);
      seen_.push_back(request);
      reply = handler_(request);
    }
    if (request.method == "HEAD") {
      reply.announcedBytes = reply.body.size();
      reply.body.clear();
    }
    if (!answer(socket, reply)) break;
    request = {};
  }
  const std::scoped_lock lock(mutex_);
  std::erase(sockets_, socket);
  ::close(socket);
}

bool FaultServer::answer(int socket, const FaultReply& reply) {
  if (reply.isSilent) return false;
  if (reply.isMute) misbehave(socket, reply);
  if (reply.isMute) return false;
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Word\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  head += "Content-Length: " + std::to_string(reply.announcedBytes.value_or(reply.body.size())) +
          "\r\n\r\n";
  const std::string_view body(reply.body);
  if (!sendAll(socket, head) ||
      !sendAll(socket, body.substr(0, reply.cutAfter.value_or(body.size())))) {
    return false;
  }
  if (reply.stalls || reply.trickles) misbehave(socket, reply);
  return !reply.cutAfter && !reply.stalls && !reply.trickles;
}

void FaultServer::misbehave(int socket, const FaultReply& reply) {
  using namespace std::chrono_literals;
  while (!stops_) {
    char byte = 0;
    const ssize_t got = ::recv(socket, &byte, 1, MSG_DONTWAIT);
    if (got == 0) return;  // the client hung up
    if (reply.trickles && !sendAll(socket, " ")) return;
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace strata::test
