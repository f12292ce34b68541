/* Preloaded into `strata`: makes a chosen call of the C library fail, or the program die there.
 *
 * Calls on files below FAULTS_ROOT (prefixes with ':' between them) and on sockets are counted. The
 * environment says what happens at which of them:
 *
 *   FAULTS_CALLS    which kinds count, a letter each (below); all if it is not set
 *   FAULTS_AT       the call, from 1; 0 or not set: none
 *   FAULTS_DO       kill    SIGKILL before the call
 *                   torn    SIGKILL after the call; a write gets half of its bytes first
 *                   short   a write or read moves half of its bytes
 *                   ENOSPC, EDQUOT, EIO, EINTR    the call fails with that
 *                   change:HOW    FAULTS_SOURCE is changed (change_source), then the call goes on;
 *                                 FAULTS_NEXT is the file that takes its place, for "replace"
 *   FAULTS_STICKY   1: every counted call from that one on, as on a disk that stays full
 *   FAULTS_LOG      a file that gets a line "NUMBER CALL PATH" for the call that was hit
 *   FAULTS_TRACE    1: a line for each counted call
 *   FAULTS_JOURNAL  a file that gets each change of a file or folder with its bytes (journal.py)
 *   FAULTS_SEED     what getrandom() gives follows from this number
 *
 * Kinds: o opening to read, c opening to write, w write, s sync, n rename and link, u unlink and
 * rmdir, m mkdir, t truncate and allocate, p mmap, x close, l locks, r read, a stat, k sockets.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMostFiles = 4096, kMostRoots = 8 };
enum Action { Pass, Fail, Half, Torn };

static char* paths[kMostFiles]; /* by descriptor: of files below the roots; "" is a socket */
static const char* roots[kMostRoots];
static size_t root_count;
static const char* kinds;
static const char* deed;
static const char* source;
static long hit_at;
static int sticky, trace, failure, active;
static int log_file = -1, journal_file = -1;
static uint64_t random_state;
static atomic_long calls;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

/* The real function NAME, looked up once. */
#define REAL(NAME)                                                            \
  static __typeof__(NAME)* real;                                              \
  if (real == NULL) real = (__typeof__(NAME)*)dlsym(RTLD_NEXT, #NAME)

static long raw_open(const char* path, int flags) {
  return syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value != NULL && *value != '\0' ? value : NULL;
}

__attribute__((constructor)) static void start(void) {
  if (strcmp(program_invocation_short_name, "strata") != 0) return; /* not in its children */
  static char root_text[PATH_MAX * 2];
  const char* root = setting("FAULTS_ROOT");
  if (root == NULL) return;
  strncpy(root_text, root, sizeof root_text - 1);
  char* rest = root_text;
  for (char* one; root_count < kMostRoots && (one = strsep(&rest, ":")) != NULL;) {
    if (*one != '\0') roots[root_count++] = one;
  }
  kinds = setting("FAULTS_CALLS");
  deed = setting("FAULTS_DO");
  source = setting("FAULTS_SOURCE");
  hit_at = setting("FAULTS_AT") != NULL ? atol(getenv("FAULTS_AT")) : 0;
  sticky = setting("FAULTS_STICKY") != NULL;
  trace = setting("FAULTS_TRACE") != NULL;
  random_state = setting("FAULTS_SEED") != NULL ? strtoull(getenv("FAULTS_SEED"), NULL, 10) : 0;
  if (deed != NULL) {
    failure = strcmp(deed, "ENOSPC") == 0   ? ENOSPC
              : strcmp(deed, "EDQUOT") == 0 ? EDQUOT
              : strcmp(deed, "EINTR") == 0  ? EINTR
              : strcmp(deed, "EIO") == 0    ? EIO
                                            : 0;
  }
  if (setting("FAULTS_LOG") != NULL) {
    log_file = (int)raw_open(getenv("FAULTS_LOG"), O_WRONLY | O_CREAT | O_APPEND);
  }
  if (setting("FAULTS_JOURNAL") != NULL) {
    journal_file = (int)raw_open(getenv("FAULTS_JOURNAL"), O_WRONLY | O_CREAT | O_APPEND);
  }
  active = 1;
}

/* ---- which calls count ---- */

static int below_roots(const char* path) {
  for (size_t i = 0; i < root_count; ++i) {
    if (strncmp(path, roots[i], strlen(roots[i])) == 0) return 1;
  }
  return 0;
}

/* The absolute path of a path that a call names, in `out`; NULL if it is none of ours. */
static const char* ours(int folder, const char* path, char* out) {
  if (!active || path == NULL) return NULL;
  if (path[0] == '/') return below_roots(path) ? path : NULL;
  char base[PATH_MAX];
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, base, sizeof base) <= 0) return NULL;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const long count = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
    if (count <= 0) return NULL;
    base[count] = '\0';
  }
  if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return NULL;
  return below_roots(out) ? out : NULL;
}

static const char* path_of(int file) {
  return active && file >= 0 && file < kMostFiles ? paths[file] : NULL;
}

static void remember(int file, const char* path) {
  if (file < 0 || file >= kMostFiles) return;
  char* old = paths[file];
  paths[file] = path != NULL ? strdup(path) : NULL;
  free(old);
}

static void say(long number, const char* call, const char* path) {
  char line[PATH_MAX + 64];
  const int count = snprintf(line, sizeof line, "%ld %s %s\n", number, call, path);
  if (log_file >= 0 && count > 0) syscall(SYS_write, log_file, line, (size_t)count);
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/* ---- a source that somebody else changes ---- */

static void overwrite(long file, off_t from, off_t end) {
  char noise[4096];
  for (size_t i = 0; i < sizeof noise; ++i) noise[i] = (char)(i * 31 + (size_t)hit_at * 7);
  for (off_t at = from; at + (off_t)sizeof noise <= end; at += sizeof noise) {
    syscall(SYS_pwrite64, file, noise, sizeof noise, at);
  }
}

static void change_source(const char* how) {
  const long file = source != NULL ? raw_open(source, O_RDWR) : -1;
  if (file < 0) return;
  struct stat now;
  if (syscall(SYS_fstat, file, &now) != 0) now.st_size = 0;
  const off_t size = now.st_size;
  if (strcmp(how, "middle") == 0) {
    overwrite(file, size / 2, size / 2 + 8192);
  } else if (strcmp(how, "all") == 0) {
    overwrite(file, 4096, size);
  } else if (strcmp(how, "last") == 0) {
    syscall(SYS_pwrite64, file, "sixteen changed b", (size_t)16, size - 16);
  } else if (strcmp(how, "cut") == 0) {
    syscall(SYS_ftruncate, file, size / 2);
  } else if (strcmp(how, "empty") == 0) {
    syscall(SYS_ftruncate, file, (off_t)0);
  } else if (strcmp(how, "grow") == 0) {
    overwrite(file, size, size + 4096);
  } else if (strcmp(how, "replace") == 0) {
    const char* other = setting("FAULTS_NEXT");
    if (other != NULL) syscall(SYS_renameat, AT_FDCWD, other, AT_FDCWD, source);
  } else if (strcmp(how, "remove") == 0) {
    syscall(SYS_unlinkat, AT_FDCWD, source, 0);
  }
  syscall(SYS_close, file);
}

/* Counts a call and says what becomes of it. On Fail, errno is set. */
static enum Action gate(char kind, const char* call, const char* path) {
  if (path == NULL || (kinds != NULL && strchr(kinds, kind) == NULL)) return Pass;
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (trace) say(number, call, path);
  if (hit_at == 0 || deed == NULL || number < hit_at || (number > hit_at && !sticky)) return Pass;
  if (number == hit_at) say(number, call, path);
  if (strcmp(deed, "kill") == 0) die();
  if (strcmp(deed, "torn") == 0) return Torn;
  if (strcmp(deed, "short") == 0) return Half;
  if (strncmp(deed, "change:", 7) == 0) change_source(deed + 7);
  if (failure == 0) return Pass;
  errno = kind == 'k' ? ECONNRESET : failure;
  return Fail;
}

/* ---- the journal of what changes on the disk ---- */

struct Record {
  uint32_t kind, first_bytes, second_bytes, flags;
  uint64_t inode, offset, data_bytes;
};

static void note(char kind, const char* first, const char* second, uint32_t flags, uint64_t inode,
                 uint64_t offset, const void* data, uint64_t data_bytes) {
  const struct Record record = {(uint32_t)kind, first != NULL ? (uint32_t)strlen(first) : 0,
                                second != NULL ? (uint32_t)strlen(second) : 0, flags, inode, offset,
                                data_bytes};
  const struct iovec parts[] = {{(void*)&record, sizeof record},
                                {(void*)first, record.first_bytes},
                                {(void*)second, record.second_bytes},
                                {(void*)data, data_bytes}};
  syscall(SYS_writev, journal_file, parts, 4);
}

static int journals(const char* path) {
  return journal_file >= 0 && path != NULL && *path == '/';
}

static uint64_t inode_of(int file) {
  struct stat now;
  return syscall(SYS_fstat, file, &now) == 0 ? (uint64_t)now.st_ino : 0;
}

#define LOCKED(PATH) const int noted = journals(PATH); if (noted) pthread_mutex_lock(&order)
#define UNLOCKED() if (noted) pthread_mutex_unlock(&order)

static void note_open(const char* path, int file, int flags) {
  if (file >= 0) note('o', path, NULL, (uint32_t)flags, inode_of(file), 0, NULL, 0);
}

/* ---- opening and closing ---- */

static int open_gate(const char* path, int flags, const char* call, enum Action* action) {
  *action = gate(flags & (O_WRONLY | O_RDWR | O_CREAT) ? 'c' : 'o', call, path);
  return *action != Fail;
}

static int opened(const char* path, int flags, int file, enum Action action) {
  if (file >= 0 && path != NULL) remember(file, path);
  if (action == Torn) die();
  (void)flags;
  return file;
}

#define OPEN_BODY(NAME, FOLDER, PATH, ...)                         \
  mode_t mode = 0;                                                 \
  if (flags & (O_CREAT | O_TMPFILE)) {                             \
    va_list more;                                                  \
    va_start(more, flags);                                         \
    mode = va_arg(more, mode_t);                                   \
    va_end(more);                                                  \
  }                                                                \
  REAL(NAME);                                                      \
  char text[PATH_MAX];                                             \
  const char* path = ours(FOLDER, PATH, text);                     \
  enum Action action;                                              \
  if (!open_gate(path, flags, #NAME, &action)) return -1;          \
  LOCKED(path);                                                    \
  const int file = real(__VA_ARGS__, flags, mode);                 \
  if (noted) note_open(path, file, flags);                         \
  UNLOCKED();                                                      \
  return opened(path, flags, file, action)

int open(const char* name, int flags, ...) { OPEN_BODY(open, AT_FDCWD, name, name); }
int open64(const char* name, int flags, ...) { OPEN_BODY(open64, AT_FDCWD, name, name); }
int openat(int folder, const char* name, int flags, ...) {
  OPEN_BODY(openat, folder, name, folder, name);
}
int openat64(int folder, const char* name, int flags, ...) {
  OPEN_BODY(openat64, folder, name, folder, name);
}
int creat(const char* name, mode_t mode) { return open(name, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char* name, mode_t mode) {
  return open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

static int stream_flags(const char* mode) {
  const int writes = mode[0] != 'r' || strchr(mode, '+') != NULL;
  return !writes ? O_RDONLY : O_RDWR | (mode[0] != 'r' ? O_CREAT : 0) | (mode[0] == 'w' ? O_TRUNC : 0);
}

#define STREAM_BODY(NAME)                                          \
  REAL(NAME);                                                      \
  char text[PATH_MAX];                                             \
  const char* path = ours(AT_FDCWD, name, text);                   \
  const int flags = stream_flags(mode);                            \
  enum Action action;                                              \
  if (!open_gate(path, flags, #NAME, &action)) return NULL;        \
  LOCKED(path);                                                    \
  FILE* stream = real(name, mode);                                 \
  if (noted && stream != NULL) note_open(path, fileno(stream), flags); \
  UNLOCKED();                                                      \
  if (stream != NULL) opened(path, flags, fileno(stream), action); \
  return stream

FILE* fopen(const char* name, const char* mode) { STREAM_BODY(fopen); }
FILE* fopen64(const char* name, const char* mode) { STREAM_BODY(fopen64); }

/* What mkstemp() and its kin make is known by name afterwards; the gate stands before. */
#define TEMPORARY_BODY(NAME, ...)                                  \
  REAL(NAME);                                                      \
  char text[PATH_MAX];                                             \
  const char* wish = ours(AT_FDCWD, name, text);                   \
  enum Action action;                                              \
  if (!open_gate(wish, O_CREAT, #NAME, &action)) return -1;        \
  LOCKED(wish);                                                    \
  const int file = real(__VA_ARGS__);                              \
  const char* path = ours(AT_FDCWD, name, text);                   \
  if (noted) note_open(path, file, O_CREAT);                       \
  UNLOCKED();                                                      \
  return opened(path, O_CREAT, file, action)

int mkstemp(char* name) { TEMPORARY_BODY(mkstemp, name); }
int mkstemp64(char* name) { TEMPORARY_BODY(mkstemp64, name); }
int mkostemp(char* name, int flags) { TEMPORARY_BODY(mkostemp, name, flags); }
int mkostemp64(char* name, int flags) { TEMPORARY_BODY(mkostemp64, name, flags); }

char* mkdtemp(char* name) {
  REAL(mkdtemp);
  char text[PATH_MAX];
  const char* path = ours(AT_FDCWD, name, text);
  const enum Action action = gate('m', "mkdtemp", path);
  if (action == Fail) return NULL;
  LOCKED(path);
  char* made = real(name);
  if (noted && made != NULL) note('m', ours(AT_FDCWD, name, text), NULL, 0, 0, 0, NULL, 0);
  UNLOCKED();
  if (action == Torn) die();
  return made;
}

int fclose(FILE* stream) {
  REAL(fclose);
  if (stream != NULL && path_of(fileno(stream)) != NULL) remember(fileno(stream), NULL);
  return real(stream);
}

int close(int file) {
  REAL(close);
  const char* path = path_of(file);
  if (path == NULL) return real(file);
  const enum Action action = gate('x', "close", path);
  const int reason = errno;
  remember(file, NULL);
  const int status = real(file); /* closed even when close() reports an error */
  if (action == Torn) die();
  if (action != Fail) return status;
  errno = reason;
  return -1;
}

/* ---- bytes ---- */

static ssize_t wrote(int file, const char* path, const char* data, ssize_t count, off_t offset) {
  if (count <= 0 || !journals(path)) return count;
  if (offset < 0) offset = (off_t)syscall(SYS_lseek, file, (off_t)0, SEEK_CUR) - count;
  note('w', path, NULL, 0, inode_of(file), (uint64_t)offset, data, (uint64_t)count);
  return count;
}

#define WRITE_BODY(NAME, OFFSET, ...)                                                \
  REAL(NAME);                                                                        \
  const char* path = path_of(file);                                                  \
  const enum Action action = gate(path != NULL && *path == '\0' ? 'k' : 'w', #NAME, path); \
  if (action == Fail) return -1;                                                     \
  if ((action == Half || action == Torn) && count > 1) count /= 2;                   \
  LOCKED(path);                                                                      \
  const ssize_t done = wrote(file, path, data, real(__VA_ARGS__), OFFSET);           \
  UNLOCKED();                                                                        \
  if (action == Torn) die();                                                         \
  return done

ssize_t write(int file, const void* data, size_t count) { WRITE_BODY(write, -1, file, data, count); }
ssize_t pwrite(int file, const void* data, size_t count, off_t at) {
  WRITE_BODY(pwrite, at, file, data, count, at);
}
ssize_t pwrite64(int file, const void* data, size_t count, off64_t at) {
  WRITE_BODY(pwrite64, at, file, data, count, at);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(writev);
  const char* path = path_of(file);
  if (path == NULL || *path == '\0') return real(file, parts, count);
  /* Callers take short writes: one part at a time keeps the journal simple. */
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len > 0) return write(file, parts[i].iov_base, parts[i].iov_len);
  }
  return 0;
}

#define READ_BODY(NAME, ...)                                                         \
  REAL(NAME);                                                                        \
  const char* path = path_of(file);                                                  \
  const enum Action action = gate(path != NULL && *path == '\0' ? 'k' : 'r', #NAME, path); \
  if (action == Fail) return -1;                                                     \
  if (action == Half && count > 1) count /= 2;                                       \
  const ssize_t done = real(__VA_ARGS__);                                            \
  if (action == Torn) die();                                                         \
  return done

ssize_t read(int file, void* data, size_t count) { READ_BODY(read, file, data, count); }
ssize_t pread(int file, void* data, size_t count, off_t at) {
  READ_BODY(pread, file, data, count, at);
}
ssize_t pread64(int file, void* data, size_t count, off64_t at) {
  READ_BODY(pread64, file, data, count, at);
}

/* Reads back what the kernel copied into `file` at `offset`, for the journal. */
static void note_copied(int file, const char* path, ssize_t count, off_t offset) {
  const long again = raw_open(path, O_RDONLY);
  char* data = malloc((size_t)count);
  if (again >= 0 && data != NULL) {
    const long got = syscall(SYS_pread64, again, data, (size_t)count, offset);
    if (got > 0) note('w', path, NULL, 0, inode_of(file), (uint64_t)offset, data, (uint64_t)got);
  }
  free(data);
  if (again >= 0) syscall(SYS_close, again);
}

#define COPY_BODY(NAME, TO, ...)                                                     \
  REAL(NAME);                                                                        \
  const char* path = path_of(TO);                                                    \
  const enum Action action = gate('w', #NAME, path);                                 \
  if (action == Fail) return -1;                                                     \
  if ((action == Half || action == Torn) && count > 1) count /= 2;                   \
  LOCKED(path);                                                                      \
  const ssize_t done = real(__VA_ARGS__);                                            \
  if (noted && done > 0) {                                                           \
    note_copied(TO, path, done, (off_t)syscall(SYS_lseek, TO, (off_t)0, SEEK_CUR) - done); \
  }                                                                                  \
  UNLOCKED();                                                                        \
  if (action == Torn) die();                                                         \
  return done

ssize_t sendfile(int to, int from, off_t* at, size_t count) {
  COPY_BODY(sendfile, to, to, from, at, count);
}
ssize_t sendfile64(int to, int from, off64_t* at, size_t count) {
  COPY_BODY(sendfile64, to, to, from, at, count);
}
ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t count,
                        unsigned flags) {
  COPY_BODY(copy_file_range, to, from, from_at, to, to_at, count, flags);
}

/* ---- syncs, sizes, maps, locks ---- */

#define FILE_BODY(KIND, LETTER, FILE_NUMBER, NAME, SIZE, ...)                        \
  REAL(NAME);                                                                        \
  const char* path = path_of(FILE_NUMBER);                                           \
  const enum Action action = gate(KIND, #NAME, path);                                \
  if (action == Fail) return -1;                                                     \
  LOCKED(path);                                                                      \
  const int done = real(__VA_ARGS__);                                                \
  if (noted && done == 0 && (LETTER) > 0) {                                          \
    note(LETTER, path, NULL, 0, inode_of(FILE_NUMBER), (uint64_t)(SIZE), NULL, 0);   \
  }                                                                                  \
  UNLOCKED();                                                                        \
  if (action == Torn) die();                                                         \
  return done

int fsync(int file) { FILE_BODY('s', 's', file, fsync, 0, file); }
int fdatasync(int file) { FILE_BODY('s', 's', file, fdatasync, 0, file); }
int syncfs(int file) { FILE_BODY('s', 'S', file, syncfs, 0, file); }
int ftruncate(int file, off_t size) { FILE_BODY('t', 't', file, ftruncate, size, file, size); }
int ftruncate64(int file, off64_t size) { FILE_BODY('t', 't', file, ftruncate64, size, file, size); }
int fallocate(int file, int mode, off_t at, off_t size) {
  FILE_BODY('t', mode == 0 ? 'g' : 0, file, fallocate, at + size, file, mode, at, size);
}
int fallocate64(int file, int mode, off64_t at, off64_t size) {
  FILE_BODY('t', mode == 0 ? 'g' : 0, file, fallocate64, at + size, file, mode, at, size);
}
int flock(int file, int how) { FILE_BODY('l', 0, file, flock, 0, file, how); }

/* These return an error number instead of setting errno. */
#define ALLOCATE_BODY(NAME, ...)                                                     \
  REAL(NAME);                                                                        \
  const char* path = path_of(file);                                                  \
  const enum Action action = gate('t', #NAME, path);                                 \
  if (action == Fail) return errno;                                                  \
  LOCKED(path);                                                                      \
  const int done = real(__VA_ARGS__);                                                \
  if (noted && done == 0) note('g', path, NULL, 0, inode_of(file), (uint64_t)(at + size), NULL, 0); \
  UNLOCKED();                                                                        \
  if (action == Torn) die();                                                         \
  return done

int posix_fallocate(int file, off_t at, off_t size) {
  ALLOCATE_BODY(posix_fallocate, file, at, size);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
  ALLOCATE_BODY(posix_fallocate64, file, at, size);
}

#define MAP_BODY(NAME)                                                               \
  REAL(NAME);                                                                        \
  const enum Action action = gate('p', #NAME, path_of(file));                        \
  if (action == Fail) return MAP_FAILED;                                             \
  void* done = real(address, count, protection, flags, file, at);                    \
  if (action == Torn) die();                                                         \
  return done

void* mmap(void* address, size_t count, int protection, int flags, int file, off_t at) {
  MAP_BODY(mmap);
}
void* mmap64(void* address, size_t count, int protection, int flags, int file, off64_t at) {
  MAP_BODY(mmap64);
}

#define CONTROL_BODY(NAME)                                                           \
  REAL(NAME);                                                                        \
  va_list more;                                                                      \
  va_start(more, command);                                                           \
  void* argument = va_arg(more, void*);                                              \
  va_end(more);                                                                      \
  const int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || \
                    command == F_OFD_SETLKW;                                         \
  const enum Action action = locks ? gate('l', #NAME, path_of(file)) : Pass;         \
  if (action == Fail) return -1;                                                     \
  const int done = real(file, command, argument);                                    \
  if (action == Torn) die();                                                         \
  if (done >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) remember(done, path_of(file)); \
  return done

int fcntl(int file, int command, ...) { CONTROL_BODY(fcntl); }
int fcntl64(int file, int command, ...) { CONTROL_BODY(fcntl64); }

int dup(int file) {
  REAL(dup);
  const int copy = real(file);
  if (copy >= 0) remember(copy, path_of(file));
  return copy;
}

/* ---- names ---- */

#define NAME_BODY(KIND, LETTER, NAME, FLAGS, ...)                                    \
  const enum Action action = gate(KIND, #NAME, first != NULL ? first : second);      \
  if (action == Fail) return -1;                                                     \
  LOCKED(first != NULL ? first : second);                                            \
  const int done = real(__VA_ARGS__);                                                \
  if (noted && done == 0) note(LETTER, first, second, (uint32_t)(FLAGS), 0, 0, NULL, 0); \
  UNLOCKED();                                                                        \
  if (action == Torn) die();                                                         \
  return done

#define ONE_NAME(KIND, LETTER, NAME, FOLDER, PATH, FLAGS, ...)                       \
  REAL(NAME);                                                                        \
  char first_text[PATH_MAX];                                                         \
  const char* first = ours(FOLDER, PATH, first_text);                                \
  const char* second = NULL;                                                         \
  NAME_BODY(KIND, LETTER, NAME, FLAGS, __VA_ARGS__)

#define TWO_NAMES(KIND, LETTER, NAME, FROM_FOLDER, FROM, TO_FOLDER, TO, FLAGS, ...)  \
  REAL(NAME);                                                                        \
  char first_text[PATH_MAX], second_text[PATH_MAX];                                  \
  const char* first = ours(FROM_FOLDER, FROM, first_text);                           \
  const char* second = ours(TO_FOLDER, TO, second_text);                             \
  NAME_BODY(KIND, LETTER, NAME, FLAGS, __VA_ARGS__)

int mkdir(const char* name, mode_t mode) {
  ONE_NAME('m', 'm', mkdir, AT_FDCWD, name, 0, name, mode);
}
int mkdirat(int folder, const char* name, mode_t mode) {
  ONE_NAME('m', 'm', mkdirat, folder, name, 0, folder, name, mode);
}
int unlink(const char* name) { ONE_NAME('u', 'u', unlink, AT_FDCWD, name, 0, name); }
int unlinkat(int folder, const char* name, int flags) {
  ONE_NAME('u', (flags & AT_REMOVEDIR) ? 'd' : 'u', unlinkat, folder, name, 0, folder, name, flags);
}
int rmdir(const char* name) { ONE_NAME('u', 'd', rmdir, AT_FDCWD, name, 0, name); }
int remove(const char* name) {
  struct stat now;
  const int is_folder = syscall(SYS_newfstatat, AT_FDCWD, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                        S_ISDIR(now.st_mode);
  ONE_NAME('u', is_folder ? 'd' : 'u', remove, AT_FDCWD, name, 0, name);
}
int truncate(const char* name, off_t size) {
  const int file = open(name, O_WRONLY);
  if (file < 0) return -1;
  const int done = ftruncate(file, size);
  close(file);
  return done;
}
int truncate64(const char* name, off64_t size) { return truncate(name, size); }

int rename(const char* from, const char* to) {
  TWO_NAMES('n', 'r', rename, AT_FDCWD, from, AT_FDCWD, to, 0, from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  TWO_NAMES('n', 'r', renameat, from_folder, from, to_folder, to, 0, from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  TWO_NAMES('n', 'r', renameat2, from_folder, from, to_folder, to, flags, from_folder, from,
            to_folder, to, flags);
}
int link(const char* from, const char* to) {
  TWO_NAMES('n', 'l', link, AT_FDCWD, from, AT_FDCWD, to, 0, from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  TWO_NAMES('n', 'l', linkat, from_folder, from, to_folder, to, 0, from_folder, from, to_folder, to,
            flags);
}
int symlink(const char* target, const char* name) {
  ONE_NAME('n', 'y', symlink, AT_FDCWD, name, 0, target, name);
}

/* ---- looking ---- */

#define LOOK_BODY(NAME, FOLDER, PATH, ...)                                           \
  REAL(NAME);                                                                        \
  char text[PATH_MAX];                                                               \
  const enum Action action = gate('a', #NAME, ours(FOLDER, PATH, text));             \
  if (action == Fail) return -1;                                                     \
  if (action == Torn) die();                                                         \
  return real(__VA_ARGS__)

int stat(const char* name, struct stat* out) { LOOK_BODY(stat, AT_FDCWD, name, name, out); }
int lstat(const char* name, struct stat* out) { LOOK_BODY(lstat, AT_FDCWD, name, name, out); }
int stat64(const char* name, struct stat64* out) { LOOK_BODY(stat64, AT_FDCWD, name, name, out); }
int lstat64(const char* name, struct stat64* out) { LOOK_BODY(lstat64, AT_FDCWD, name, name, out); }
int fstatat(int folder, const char* name, struct stat* out, int flags) {
  LOOK_BODY(fstatat, folder, name, folder, name, out, flags);
}
int fstatat64(int folder, const char* name, struct stat64* out, int flags) {
  LOOK_BODY(fstatat64, folder, name, folder, name, out, flags);
}
int fstat(int file, struct stat* out) {
  REAL(fstat);
  const enum Action action = gate('a', "fstat", path_of(file));
  if (action == Torn) die();
  return action == Fail ? -1 : real(file, out);
}
int fstat64(int file, struct stat64* out) {
  REAL(fstat64);
  const enum Action action = gate('a', "fstat64", path_of(file));
  if (action == Torn) die();
  return action == Fail ? -1 : real(file, out);
}
DIR* opendir(const char* name) {
  REAL(opendir);
  char text[PATH_MAX];
  const enum Action action = gate('o', "opendir", ours(AT_FDCWD, name, text));
  if (action == Torn) die();
  return action == Fail ? NULL : real(name);
}

/* ---- sockets ---- */

int connect(int file, const struct sockaddr* address, socklen_t count) {
  REAL(connect);
  const int outside = active && address->sa_family != AF_UNIX;
  const enum Action action = outside ? gate('k', "connect", "socket") : Pass;
  if (action == Fail) return -1;
  if (action == Torn) die();
  if (outside) remember(file, "");
  return real(file, address, count);
}

#define SOCKET_BODY(NAME, ...)                                                       \
  REAL(NAME);                                                                        \
  const enum Action action = gate('k', #NAME, path_of(file));                        \
  if (action == Fail) return -1;                                                     \
  if ((action == Half || action == Torn) && count > 1) count /= 2;                   \
  const ssize_t done = real(__VA_ARGS__);                                            \
  if (action == Torn) die();                                                         \
  return done

ssize_t send(int file, const void* data, size_t count, int flags) {
  SOCKET_BODY(send, file, data, count, flags);
}
ssize_t sendto(int file, const void* data, size_t count, int flags, const struct sockaddr* to,
               socklen_t size) {
  SOCKET_BODY(sendto, file, data, count, flags, to, size);
}
ssize_t recv(int file, void* data, size_t count, int flags) {
  SOCKET_BODY(recv, file, data, count, flags);
}
ssize_t recvfrom(int file, void* restrict data, size_t count, int flags,
                 struct sockaddr* restrict from, socklen_t* restrict size) {
  SOCKET_BODY(recvfrom, file, data, count, flags, from, size);
}

/* ---- names that a fixed seed repeats ---- */

ssize_t getrandom(void* data, size_t count, unsigned flags) {
  REAL(getrandom);
  if (random_state == 0) return real(data, count, flags);
  unsigned char* out = data;
  for (size_t i = 0; i < count; ++i) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    out[i] = (unsigned char)(random_state >> 24);
  }
  return (ssize_t)count;
}
