#include "core/io/mapping_faults.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <vector>

namespace strata {
namespace {

/// Places for mappings. The handler walks the chain without a lock, so no chunk is ever freed.
struct Chunk {
  std::array<WatchedMapping, 256> mappings;
  std::atomic<Chunk*> next = nullptr;
};

// Global, because a signal's handler belongs to the process and gets no argument.
constinit Chunk firstChunk;
struct sigaction previousAction {};
std::uintptr_t pageBytes = 0;

/// What is changed when mappings come and go.
struct FreeList {
  std::mutex mutex;  // guards the others
  std::vector<WatchedMapping*> free;
  Chunk* last = &firstChunk;

  void addAll(Chunk& chunk) {
    for (WatchedMapping& mapping : chunk.mappings) free.push_back(&mapping);
  }
};

/// Kept until the process ends: mappings may be static.
FreeList& freeList() {
  static FreeList& list = *new FreeList;
  return list;
}

WatchedMapping* mappingAt(std::uintptr_t address) noexcept {
  for (Chunk* chunk = &firstChunk; chunk != nullptr; chunk = chunk->next.load()) {
    for (WatchedMapping& mapping : chunk->mappings) {
      const std::uintptr_t begin = mapping.begin.load();
      if (begin != 0 && begin <= address && address < mapping.end.load() &&
          mapping.begin.load() == begin) {
        return &mapping;
      }
    }
  }
  return nullptr;
}

/// Puts a page of zeros in the place of the page that cannot be read.
bool replacePage(std::uintptr_t address) noexcept {
  const std::uintptr_t page = address / pageBytes * pageBytes;
  // Not by way of mmap(): sanitizers do more in it than a handler may.
  return ::syscall(SYS_mmap, page, pageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                   -1, 0) == static_cast<long>(page);
}

void passOn(int signal, siginfo_t* info, void* context) noexcept {
  if ((previousAction.sa_flags & SA_SIGINFO) != 0) {
    return previousAction.sa_sigaction(signal, info, context);
  }
  const bool wasSent = info->si_code <= 0;  // by a process, not by an access
  const auto handler = previousAction.sa_handler;
  if (handler == SIG_IGN && wasSent) return;
  if (handler != SIG_DFL && handler != SIG_IGN) return handler(signal);
  // The access is repeated after this, and ends the process as it would have without us.
  ::signal(signal, SIG_DFL);
  if (wasSent) ::raise(signal);
}

void onFault(int signal, siginfo_t* info, void* context) noexcept {
  const int reason = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool isAccess = info->si_code > 0 && info->si_code != BUS_ADRALN;
  WatchedMapping* const mapping = isAccess ? mappingAt(address) : nullptr;
  // Told before the page is there: another thread may read it without a fault of its own.
  if (mapping != nullptr) mapping->hasFailed = true;
  if (mapping == nullptr || !replacePage(address)) passOn(signal, info, context);
  errno = reason;
}

void install() {
  pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, nullptr, &previousAction);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

WatchedMapping& watchMapping(const void* begin, std::size_t byteCount) {
  FreeList& list = freeList();
  const std::lock_guard lock(list.mutex);
  if (pageBytes == 0) {
    install();
    list.addAll(firstChunk);
  }
  if (list.free.empty()) {
    auto* const chunk = new Chunk;
    list.addAll(*chunk);
    list.last->next = chunk;
    list.last = chunk;
  }
  WatchedMapping& mapping = *list.free.back();
  list.free.pop_back();
  mapping.hasFailed = false;
  // To the end of the last page: its bytes behind the file can be read, too.
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(begin) + byteCount;
  mapping.end = (end + pageBytes - 1) / pageBytes * pageBytes;
  mapping.begin = reinterpret_cast<std::uintptr_t>(begin);
  return mapping;
}

void forgetMapping(WatchedMapping& mapping) noexcept {
  FreeList& list = freeList();
  const std::lock_guard lock(list.mutex);
  mapping.begin = 0;
  list.free.push_back(&mapping);  // has room: it was taken from there
}

}  // namespace strata
