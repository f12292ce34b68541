#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace strata::hub {

/// How long a connection stays without a byte; the answers say so.
inline constexpr std::chrono::seconds kIdleLimit{30};

/// A client's connection. The socket belongs to whoever holds the connection.
struct Connection {
  int socket = -1;
  std::string address = {};          ///< of the client
  std::size_t answeredRequests = 0;  ///< on it so far
};

/// Where connections are whose next request has not come. One thread watches all of them, so that a
/// client without a request takes a few bytes and no thread.
///
/// A connection leaves when the head of a request is there as a whole. It is closed after 30 s
/// without a byte, and 10 s after the first byte of a head. A new one always gets in: when the room
/// is full, the address with the most connections loses its oldest.
class WaitingRoom {
 public:
  /// `leave` takes a connection whose request begins; called on the room's thread, must not wait.
  WaitingRoom(std::size_t mostConnections, std::function<void(Connection)> leave);
  ~WaitingRoom();
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  /// Takes a connection and its socket.
  void enter(Connection connection);
  /// Closes what is in it and what still comes.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Guest {
    Connection connection;
    Clock::time_point deadline;
    bool hasBegun = false;  ///< a byte of a head is here
  };
  using Guests = std::list<Guest>;

  void watch(const std::stop_token& stop);
  void look(int socket);
  void closeLate();
  Guests::iterator leastWelcome();
  Connection remove(Guests::iterator guest);

  const std::size_t mostConnections_;
  const std::function<void(Connection)> leave_;
  const int watcher_;  ///< of epoll
  std::mutex mutex_;   // guards what follows, but for the thread
  Guests guests_;      ///< the oldest first
  std::map<int, Guests::iterator> bySocket_;
  bool isClosed_ = false;
  std::jthread thread_;  // the last member: it uses the others
};

/// The client's address as text; empty if there is none.
std::string addressOf(int socket);

}  // namespace strata::hub
