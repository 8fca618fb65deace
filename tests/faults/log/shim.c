/* Stops a process at one of its file system calls, and has that call fail, or the process end.
 *
 * Loaded with LD_PRELOAD. SQLite's calls can't be replaced from Python; those of libsqlite3 and of
 * Python itself come here first. Once a process has called `shim_arm`, its calls on paths in one
 * folder are counted. At the one whose turn it is, the process tells its controller through a pipe
 * which call it is about to make, and waits to be told by one letter what becomes of it:
 *
 *   g  it goes on                           k  the process is killed
 *   e  the call is not made, and fails      E  it is made, and fails all the same
 *   s  SIGINT comes before it               S  SIGINT comes after it
 *   h  half is written, then it is killed   H  half is written, then the call fails (ENOSPC)
 *   x  like e, and so does every later call that changes a file
 *
 * With a file to record in, each call that did something is written there, with its data.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a call does: only those that change files fail once the disk is broken for good. */
enum kind { READS, LOCKS, CLOSES, CHANGES };

static struct {
    int is_armed, with_reads, is_broken;
    long count, turn;
    int question, answer, record; /* File descriptors; -1 if there is none. */
    char folder[PATH_MAX];
} shim = {.question = -1, .answer = -1, .record = -1};

/* ---- For the process itself, by ctypes. ---- */

void shim_arm(const char *folder, long turn, int with_reads, int question, int answer, int record)
{
    snprintf(shim.folder, sizeof shim.folder, "%s", folder);
    shim.count = -1;
    shim.turn = turn;
    shim.with_reads = with_reads;
    shim.is_broken = 0;
    shim.question = question;
    shim.answer = answer;
    shim.record = record;
    shim.is_armed = 1;
}

/* Returns how many calls were counted. */
long shim_disarm(void)
{
    shim.is_armed = 0;
    return shim.count + 1;
}

/* Straight to the kernel: these must not be counted. */
static void put(int fd, const void *data, size_t size)
{
    const char *rest = data;
    while (size > 0) {
        long done = syscall(SYS_write, fd, rest, size);
        if (done < 0) {
            if (errno == EINTR)
                continue;
            _exit(99);
        }
        rest += done;
        size -= (size_t)done;
    }
}

static void record(const char *name, const char *path, const char *other, long long offset,
                   const void *data, size_t size)
{
    char line[2 * PATH_MAX + 100];
    int length;
    if (!shim.is_armed || shim.record < 0)
        return;
    length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%zu\n", name, path, other, offset, size);
    put(shim.record, line, (size_t)length);
    put(shim.record, data, size);
}

/* Writes a word into the record: what the process knows to be done by now. */
void shim_mark(const char *word)
{
    record("mark", word, "", 0, "", 0);
}

/* ---- Paths. ---- */

static const char *path_of(int fd, char *path)
{
    char link[40];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return path;
}

static const char *path_at(int folder, const char *name, char *path)
{
    char start[PATH_MAX] = "";
    size_t length;
    if (name[0] == '/')
        snprintf(path, PATH_MAX, "%s", name);
    else {
        if (folder != AT_FDCWD)
            path_of(folder, start);
        else if (!getcwd(start, sizeof start))
            start[0] = 0;
        if (snprintf(path, PATH_MAX, "%s/%s", start, name) >= PATH_MAX)
            path[0] = 0;
    }
    length = strlen(path);
    if (length > 1 && path[length - 1] == '/')
        path[length - 1] = 0;
    return path;
}

static int is_inside(const char *path)
{
    size_t length = strlen(shim.folder);
    return strncmp(path, shim.folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* ---- The turn of a call. ---- */

static int before(enum kind kind, const char *name, const char *path)
{
    char line[PATH_MAX + 40], action = 'g';
    if (!is_inside(path) || (kind == READS && !shim.with_reads))
        return 'g';
    shim.count++;
    if (shim.is_broken && kind == CHANGES) {
        errno = EIO;
        return 'e';
    }
    if (shim.count != shim.turn)
        return 'g';
    int length = snprintf(line, sizeof line, "%s\t%s\n", name, path);
    put(shim.question, line, (size_t)length);
    while (syscall(SYS_read, shim.answer, &action, 1) < 0 && errno == EINTR)
        ;
    errno = EIO;
    switch (action) {
    case 'k':
        kill(getpid(), SIGKILL);
        break;
    case 's':
        raise(SIGINT);
        return 'g';
    case 'x':
        shim.is_broken = 1;
        return 'e';
    case 'H':
        errno = ENOSPC;
        break;
    }
    return action;
}

/* Returns whether the call is to say that it failed, though it was made. */
static int fails_after(int action)
{
    int kept = errno;
    if (action == 'S')
        raise(SIGINT);
    errno = action == 'E' ? EIO : kept;
    return action == 'E';
}

#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real)                                                                                     \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* A call on a path or a descriptor that returns 0, or -1. `path` is an expression for its path. */
#define SIMPLE(kind, name, path, call, done)                                                       \
    REAL(name);                                                                                    \
    char buffer[PATH_MAX], other[PATH_MAX] = "";                                                   \
    (void)other;                                                                                   \
    if (!shim.is_armed)                                                                            \
        return real call;                                                                          \
    const char *at = path;                                                                         \
    int action = before(kind, #name, at);                                                          \
    if (strchr("eHh", action)) {                                                                   \
        if (action == 'h')                                                                         \
            kill(getpid(), SIGKILL);                                                               \
        return -1;                                                                                 \
    }                                                                                              \
    int result = real call;                                                                        \
    if (result == 0 && is_inside(at))                                                              \
        done;                                                                                      \
    return fails_after(action) ? -1 : result

#define NOTHING ((void)0)

int fsync(int fd)
{
    SIMPLE(CHANGES, fsync, path_of(fd, buffer), (fd), record("sync", at, "", 0, "", 0));
}

int fdatasync(int fd)
{
    SIMPLE(CHANGES, fdatasync, path_of(fd, buffer), (fd), record("sync", at, "", 0, "", 0));
}

int mkdir(const char *path, mode_t mode)
{
    SIMPLE(CHANGES, mkdir, path_at(AT_FDCWD, path, buffer), (path, mode),
           record("mkdir", at, "", 0, "", 0));
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    SIMPLE(CHANGES, mkdirat, path_at(folder, path, buffer), (folder, path, mode),
           record("mkdir", at, "", 0, "", 0));
}

int rmdir(const char *path)
{
    SIMPLE(CHANGES, rmdir, path_at(AT_FDCWD, path, buffer), (path),
           record("rmdir", at, "", 0, "", 0));
}

int unlink(const char *path)
{
    SIMPLE(CHANGES, unlink, path_at(AT_FDCWD, path, buffer), (path),
           record("unlink", at, "", 0, "", 0));
}

int unlinkat(int folder, const char *path, int flags)
{
    SIMPLE(CHANGES, unlinkat, path_at(folder, path, buffer), (folder, path, flags),
           record(flags & AT_REMOVEDIR ? "rmdir" : "unlink", at, "", 0, "", 0));
}

int rename(const char *old, const char *new)
{
    SIMPLE(CHANGES, rename, path_at(AT_FDCWD, new, buffer), (old, new),
           record("rename", path_at(AT_FDCWD, old, other), at, 0, "", 0));
}

int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
    SIMPLE(CHANGES, renameat, path_at(new_folder, new, buffer), (old_folder, old, new_folder, new),
           record("rename", path_at(old_folder, old, other), at, 0, "", 0));
}

int renameat2(int old_folder, const char *old, int new_folder, const char *new, unsigned flags)
{
    SIMPLE(CHANGES, renameat2, path_at(new_folder, new, buffer),
           (old_folder, old, new_folder, new, flags),
           record("rename", path_at(old_folder, old, other), at, 0, "", 0));
}

int link(const char *old, const char *new)
{
    SIMPLE(CHANGES, link, path_at(AT_FDCWD, new, buffer), (old, new),
           record("link", path_at(AT_FDCWD, old, other), at, 0, "", 0));
}

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags)
{
    SIMPLE(CHANGES, linkat, path_at(new_folder, new, buffer),
           (old_folder, old, new_folder, new, flags),
           record("link", path_at(old_folder, old, other), at, 0, "", 0));
}

#define TRUNCATES(name, type)                                                                      \
    int name(const char *path, type size)                                                          \
    {                                                                                              \
        SIMPLE(CHANGES, name, path_at(AT_FDCWD, path, buffer), (path, size),                       \
               record("truncate", at, "", size, "", 0));                                           \
    }
TRUNCATES(truncate, off_t)
TRUNCATES(truncate64, off64_t)

#define FTRUNCATES(name, type)                                                                     \
    int name(int fd, type size)                                                                    \
    {                                                                                              \
        SIMPLE(CHANGES, name, path_of(fd, buffer), (fd, size),                                     \
               record("truncate", at, "", size, "", 0));                                           \
    }
FTRUNCATES(ftruncate, off_t)
FTRUNCATES(ftruncate64, off64_t)

int flock(int fd, int operation)
{
    SIMPLE(LOCKS, flock, path_of(fd, buffer), (fd, operation), NOTHING);
}

/* A close that fails has closed the file all the same. */
int close(int fd)
{
    REAL(close);
    char buffer[PATH_MAX];
    if (!shim.is_armed)
        return real(fd);
    int action = before(CLOSES, "close", path_of(fd, buffer));
    if (action == 'h')
        kill(getpid(), SIGKILL);
    int result = real(fd);
    if (strchr("eH", action)) {
        errno = EIO;
        return -1;
    }
    return fails_after(action) ? -1 : result;
}

/* ---- Opening. ---- */

#define OPENS(name, folder, given, arguments, call)                                                \
    int name arguments                                                                             \
    {                                                                                              \
        REAL(name);                                                                                \
        char path[PATH_MAX];                                                                       \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                       \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, mode_t);                                                           \
            va_end(more);                                                                          \
        }                                                                                          \
        if (!shim.is_armed)                                                                        \
            return real call;                                                                      \
        path_at(folder, given, path);                                                              \
        int is_new = (flags & O_CREAT) && syscall(SYS_access, path, F_OK) != 0;                    \
        int changes = flags & (O_CREAT | O_TRUNC);                                                 \
        int action = before(changes ? CHANGES : READS, #name, path);                               \
        if (action == 'h')                                                                         \
            kill(getpid(), SIGKILL);                                                               \
        if (strchr("eH", action))                                                                  \
            return -1;                                                                             \
        int result = real call;                                                                    \
        if (result >= 0 && is_inside(path)) {                                                      \
            if (is_new)                                                                            \
                record("create", path, "", 0, "", 0);                                              \
            else if (flags & O_TRUNC)                                                              \
                record("truncate", path, "", 0, "", 0);                                            \
        }                                                                                          \
        if (fails_after(action)) {                                                                 \
            if (result >= 0)                                                                       \
                syscall(SYS_close, result);                                                        \
            errno = EIO;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return result;                                                                             \
    }

OPENS(open, AT_FDCWD, given, (const char *given, int flags, ...), (given, flags, mode))
OPENS(open64, AT_FDCWD, given, (const char *given, int flags, ...), (given, flags, mode))
OPENS(openat, folder, given, (int folder, const char *given, int flags, ...),
      (folder, given, flags, mode))
OPENS(openat64, folder, given, (int folder, const char *given, int flags, ...),
      (folder, given, flags, mode))

/* ---- Writing. ---- */

#define WRITES(name, arguments, whole, half, offset)                                               \
    ssize_t name arguments                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        char path[PATH_MAX];                                                                       \
        if (!shim.is_armed)                                                                        \
            return real whole;                                                                     \
        int action = before(CHANGES, #name, path_of(fd, path));                                    \
        if (action == 'e')                                                                         \
            return -1;                                                                             \
        long long start = is_inside(path) ? (offset) : 0;                                          \
        if (strchr("hH", action)) {                                                                \
            (void)!real half;                                                                      \
            if (action == 'h')                                                                     \
                kill(getpid(), SIGKILL);                                                           \
            errno = ENOSPC;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        ssize_t result = real whole;                                                               \
        if (result > 0 && is_inside(path))                                                         \
            record("write", path, "", start, data, (size_t)result);                                \
        return fails_after(action) ? -1 : result;                                                  \
    }

/* Where a write without an offset goes to. */
static long long end_or_position(int fd)
{
    int is_appending = syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND;
    return lseek(fd, 0, is_appending ? SEEK_END : SEEK_CUR);
}

WRITES(write, (int fd, const void *data, size_t size), (fd, data, size), (fd, data, size / 2),
       end_or_position(fd))
WRITES(pwrite, (int fd, const void *data, size_t size, off_t to), (fd, data, size, to),
       (fd, data, size / 2, to), to)
WRITES(pwrite64, (int fd, const void *data, size_t size, off64_t to), (fd, data, size, to),
       (fd, data, size / 2, to), to)

/* ---- Locks by ranges of bytes. ---- */

#define CONTROLS(name)                                                                             \
    int name(int fd, int command, ...)                                                             \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, command);                                                                   \
        void *argument = va_arg(more, void *);                                                     \
        va_end(more);                                                                              \
        REAL(name);                                                                                \
        char path[PATH_MAX], word[40];                                                             \
        int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK          \
                      || command == F_OFD_SETLKW;                                                  \
        if (!shim.is_armed || !is_lock)                                                            \
            return real(fd, command, argument);                                                    \
        int type = ((struct flock *)argument)->l_type;                                             \
        snprintf(word, sizeof word, "%s",                                                          \
                 type == F_UNLCK ? "unlock" : type == F_RDLCK ? "read lock" : "write lock");       \
        int action = before(LOCKS, word, path_of(fd, path));                                       \
        if (action == 'h')                                                                         \
            kill(getpid(), SIGKILL);                                                               \
        if (strchr("eH", action))                                                                  \
            return -1;                                                                             \
        int result = real(fd, command, argument);                                                  \
        return fails_after(action) ? -1 : result;                                                  \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

/* ---- Looking: counted only if asked for. ---- */

#define READS_OF(type, failure, name, arguments, path, call)                                       \
    type name arguments                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        char buffer[PATH_MAX];                                                                     \
        if (!shim.is_armed || !shim.with_reads)                                                    \
            return real call;                                                                      \
        int action = before(READS, #name, path);                                                   \
        if (action == 'h')                                                                         \
            kill(getpid(), SIGKILL);                                                               \
        if (strchr("eEH", action))                                                                 \
            return failure;                                                                        \
        type result = real call;                                                                   \
        fails_after(action);                                                                       \
        return result;                                                                             \
    }

READS_OF(ssize_t, -1, read, (int fd, void *data, size_t size), path_of(fd, buffer),
         (fd, data, size))
READS_OF(ssize_t, -1, pread, (int fd, void *data, size_t size, off_t from), path_of(fd, buffer),
         (fd, data, size, from))
READS_OF(ssize_t, -1, pread64, (int fd, void *data, size_t size, off64_t from),
         path_of(fd, buffer), (fd, data, size, from))
READS_OF(int, -1, access, (const char *path, int mode), path_at(AT_FDCWD, path, buffer),
         (path, mode))
READS_OF(int, -1, stat, (const char *restrict path, struct stat *restrict to),
         path_at(AT_FDCWD, path, buffer), (path, to))
READS_OF(int, -1, stat64, (const char *restrict path, struct stat64 *restrict to),
         path_at(AT_FDCWD, path, buffer), (path, to))
READS_OF(int, -1, lstat, (const char *restrict path, struct stat *restrict to),
         path_at(AT_FDCWD, path, buffer), (path, to))
READS_OF(int, -1, lstat64, (const char *restrict path, struct stat64 *restrict to),
         path_at(AT_FDCWD, path, buffer), (path, to))
READS_OF(DIR *, NULL, opendir, (const char *path), path_at(AT_FDCWD, path, buffer), (path))
