#include "hub/serve/waiting_room.h"

#include <netdb.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "hub/serve/client_stream.h"

namespace strata::hub {
namespace {

constexpr int kSliceMs = 200;  ///< how often deadlines are looked at

enum class Arrived { Nothing, Part, Head, End };

/// What lies in the socket, which stays there.
Arrived arrivedAt(int socket) {
  static thread_local std::array<char, kMostHeadBytes> bytes;
  const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Arrived::Nothing : Arrived::End;
  if (count == 0) return Arrived::End;
  const std::string_view head(bytes.data(), static_cast<std::size_t>(count));
  const bool isWhole = head.find("\n\r\n") != head.npos || head.find("\n\n") != head.npos;
  // One that is too long is refused by whoever reads it.
  return isWhole || head.size() == bytes.size() ? Arrived::Head : Arrived::Part;
}

}  // namespace

std::string addressOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(), nullptr,
                    0, NI_NUMERICHOST) != 0) {
    return {};
  }
  return host.data();
}

WaitingRoom::WaitingRoom(std::size_t mostConnections, std::function<void(Connection)> leave)
    : mostConnections_(mostConnections),
      leave_(std::move(leave)),
      watcher_(::epoll_create1(EPOLL_CLOEXEC)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

WaitingRoom::~WaitingRoom() {
  close();
  ::close(watcher_);
}

void WaitingRoom::close() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  isClosed_ = true;
  while (!guests_.empty()) ::close(remove(guests_.begin()).socket);
}

void WaitingRoom::enter(Connection connection) {
  const std::lock_guard lock(mutex_);
  const int socket = connection.socket;
  if (guests_.size() >= mostConnections_) ::close(remove(leastWelcome()).socket);
  // Readable by now or later: either way the watcher is told once.
  epoll_event wanted{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.fd = socket}};
  if (isClosed_ || ::epoll_ctl(watcher_, EPOLL_CTL_ADD, socket, &wanted) != 0) {
    ::close(socket);
    return;
  }
  guests_.push_back({std::move(connection), Clock::now() + kIdleLimit});
  bySocket_[socket] = std::prev(guests_.end());
}

void WaitingRoom::watch(const std::stop_token& stop) {
  std::array<epoll_event, 64> events{};
  while (!stop.stop_requested()) {
    const int count = ::epoll_wait(watcher_, events.data(), events.size(), kSliceMs);
    for (int i = 0; i < count; ++i) look(events[static_cast<std::size_t>(i)].data.fd);
    closeLate();
  }
}

void WaitingRoom::look(int socket) {
  std::unique_lock lock(mutex_);
  const auto found = bySocket_.find(socket);
  if (found == bySocket_.end()) return;
  Guest& guest = *found->second;
  switch (arrivedAt(socket)) {
    case Arrived::Nothing:
      return;
    case Arrived::Part:
      if (!guest.hasBegun) guest.deadline = Clock::now() + kHeadLimit;
      guest.hasBegun = true;
      return;
    case Arrived::End:
      ::close(remove(found->second).socket);
      return;
    case Arrived::Head:
      break;
  }
  Connection connection = remove(found->second);
  lock.unlock();
  leave_(std::move(connection));
}

void WaitingRoom::closeLate() {
  const std::lock_guard lock(mutex_);
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const auto one = guest++;
    if (one->deadline <= Clock::now()) ::close(remove(one).socket);
  }
}

WaitingRoom::Guests::iterator WaitingRoom::leastWelcome() {
  std::map<std::string_view, std::size_t> counts;
  for (const Guest& guest : guests_) ++counts[guest.connection.address];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return std::find_if(guests_.begin(), guests_.end(),
                      [&](const Guest& guest) { return guest.connection.address == most->first; });
}

Connection WaitingRoom::remove(Guests::iterator guest) {
  Connection connection = std::move(guest->connection);
  ::epoll_ctl(watcher_, EPOLL_CTL_DEL, connection.socket, nullptr);
  bySocket_.erase(connection.socket);
  guests_.erase(guest);
  return connection;
}

}  // namespace strata::hub
