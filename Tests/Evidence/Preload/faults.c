// A library to preload that makes calls to the system fail, by their numbers. Tools/evidence/faults tries each number.
//
// EVIDENCE_ROOT is the directory: only calls for files in it count, and those of liblmdb for memory. FAULT_KIND is one
// of the kinds below; FAULT_AT counts the calls of the kind from one, 0 fails none; FAULT_MODE is `once`, `on` (from
// then on) or `short` (a write of half the bytes, once); FAULT_ERRNO is the error. FAULT_COUNTS names a file that gets the
// counts at the exit. Calls count from `evidence_faults_begin` on, or with FAULT_FROM_START from the first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, WRITE, SYNC, TRUNCATE, RENAME, MKDIR, UNLINK, READ, MMAP, MALLOC, FLOCK, FCNTL, STAT, KINDS };
static const char *names[] = {
    "open", "write", "sync", "truncate", "rename", "mkdir", "unlink", "read", "mmap", "malloc", "flock", "fcntl",
    "stat",
};
static atomic_int counts[KINDS];
static atomic_int counting;
static int wanted = -1, at, error, is_short, is_lasting;
static char root[512];
static const char *lmdb_start, *lmdb_end;

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int number_of(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *directory = getenv("EVIDENCE_ROOT"), *kind = getenv("FAULT_KIND"), *mode = getenv("FAULT_MODE");
    if (!directory) return;
    snprintf(root, sizeof root, "%s", directory);
    for (int each = 0; kind && each < KINDS; each++)
        if (strcmp(kind, names[each]) == 0) wanted = each;
    at = number_of("FAULT_AT");
    error = number_of("FAULT_ERRNO");
    is_short = mode && strcmp(mode, "short") == 0;
    is_lasting = mode && strcmp(mode, "on") == 0;
    // The calls of liblmdb are known by the place that they return to.
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *first, *last;
        if (!strstr(line, "liblmdb") || sscanf(line, "%p-%p", (void **)&first, (void **)&last) != 2) continue;
        if (!lmdb_start) lmdb_start = first;
        lmdb_end = last;
    }
    if (maps) fclose(maps);
    if (getenv("FAULT_FROM_START")) counting = 1;
}

void evidence_faults_begin(void) { counting = 1; }

__attribute__((destructor)) static void report(void) {
    counting = 0;
    const char *path = getenv("FAULT_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int each = 0; each < KINDS; each++) fprintf(file, "%s %d\n", names[each], counts[each]);
    fclose(file);
}

// Counts a call; returns whether it has to fail.
static int fails(enum kind kind) {
    int number = ++counts[kind];
    if ((int)kind != wanted || at == 0) return 0;
    if (is_lasting ? number < at : number != at) return 0;
    errno = error;
    return 1;
}

static int is_inside(const char *path) {
    size_t length = strlen(root), end = strlen(path);
    if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != 0)) return 0;
    return end < 5 || strcmp(path + end - 5, "/acks") != 0;
}

static int is_file(int number) {
    if (!counting) return 0;
    char link[64], target[1024];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    return is_inside(target);
}

static int is_name(int directory, const char *path) {
    if (!counting) return 0;
    if (path[0] == '/') return is_inside(path);
    return directory != AT_FDCWD && is_file(directory);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

static int opening(int directory, const char *path, int flags, mode_t mode) {
    if (is_name(directory, path) && fails(OPEN)) return -1;
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}
int open(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags, mode); }
int openat(int directory, const char *path, int flags, ...) {
    MODE(flags) return opening(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
    MODE(flags) return opening(directory, path, flags, mode);
}
int __open_2(const char *path, int flags) { return opening(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opening(AT_FDCWD, path, flags, 0); }
int __openat_2(int directory, const char *path, int flags) { return opening(directory, path, flags, 0); }

ssize_t write(int number, const void *bytes, size_t size) {
    if (is_file(number) && fails(WRITE)) {
        if (!is_short) return -1;
        size /= 2;
    }
    return syscall(SYS_write, number, bytes, size);
}
ssize_t pwrite(int number, const void *bytes, size_t size, off_t offset) {
    if (is_file(number) && fails(WRITE)) {
        if (!is_short) return -1;
        size /= 2;
    }
    return syscall(SYS_pwrite64, number, bytes, size, offset);
}
ssize_t pwrite64(int number, const void *bytes, size_t size, off_t offset) {
    return pwrite(number, bytes, size, offset);
}
ssize_t writev(int number, const struct iovec *parts, int count) {
    if (is_file(number) && fails(WRITE)) {
        if (!is_short) return -1;
        count = 1;
    }
    return syscall(SYS_writev, number, parts, count);
}
ssize_t pwritev(int number, const struct iovec *parts, int count, off_t offset) {
    REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
    if (is_file(number) && fails(WRITE)) {
        if (!is_short) return -1;
        count = 1;
    }
    return real(number, parts, count, offset);
}
ssize_t pwritev64(int number, const struct iovec *parts, int count, off_t offset) {
    return pwritev(number, parts, count, offset);
}
ssize_t read(int number, void *bytes, size_t size) {
    if (is_file(number) && fails(READ)) return -1;
    return syscall(SYS_read, number, bytes, size);
}
ssize_t pread(int number, void *bytes, size_t size, off_t offset) {
    if (is_file(number) && fails(READ)) return -1;
    return syscall(SYS_pread64, number, bytes, size, offset);
}
ssize_t pread64(int number, void *bytes, size_t size, off_t offset) { return pread(number, bytes, size, offset); }

int fsync(int number) { return is_file(number) && fails(SYNC) ? -1 : (int)syscall(SYS_fsync, number); }
int fdatasync(int number) { return is_file(number) && fails(SYNC) ? -1 : (int)syscall(SYS_fdatasync, number); }
int msync(void *address, size_t size, int flags) {
    return counting && fails(SYNC) ? -1 : (int)syscall(SYS_msync, address, size, flags);
}
int ftruncate(int number, off_t size) {
    return is_file(number) && fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, number, size);
}
int ftruncate64(int number, off_t size) { return ftruncate(number, size); }
int fallocate(int number, int mode, off_t start, off_t size) {
    return is_file(number) && fails(TRUNCATE) ? -1 : (int)syscall(SYS_fallocate, number, mode, start, size);
}
int fallocate64(int number, int mode, off_t start, off_t size) { return fallocate(number, mode, start, size); }
int posix_fallocate(int number, off_t start, off_t size) { return fallocate(number, 0, start, size) == 0 ? 0 : errno; }

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags) {
    if ((is_name(from, old) || is_name(to, new)) && fails(RENAME)) return -1;
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}
int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }
int mkdirat(int directory, const char *path, mode_t mode) {
    return is_name(directory, path) && fails(MKDIR) ? -1 : (int)syscall(SYS_mkdirat, directory, path, mode);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int unlinkat(int directory, const char *path, int flags) {
    return is_name(directory, path) && fails(UNLINK) ? -1 : (int)syscall(SYS_unlinkat, directory, path, flags);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

void *mmap(void *address, size_t size, int protection, int flags, int number, off_t offset) {
    if (number >= 0 && is_file(number) && fails(MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, number, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int number, off_t offset) {
    return mmap(address, size, protection, flags, number, offset);
}

static int is_lmdb(const void *place) {
    return counting && (const char *)place >= lmdb_start && (const char *)place < lmdb_end;
}
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t size) {
    return is_lmdb(__builtin_return_address(0)) && fails(MALLOC) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return is_lmdb(__builtin_return_address(0)) && fails(MALLOC) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    return is_lmdb(__builtin_return_address(0)) && fails(MALLOC) ? NULL : __libc_realloc(old, size);
}

int flock(int number, int operation) {
    if (operation != LOCK_UN && is_file(number) && fails(FLOCK)) return -1;
    return (int)syscall(SYS_flock, number, operation);
}
int fcntl(int number, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (is_file(number) && fails(FCNTL)) return -1;
    return (int)syscall(SYS_fcntl, number, command, argument);
}
int fcntl64(int number, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fcntl(number, command, argument);
}
int fstat(int number, struct stat *status) {
    REAL(int, "fstat", int, struct stat *);
    return is_file(number) && fails(STAT) ? -1 : real(number, status);
}
int fstat64(int number, struct stat64 *status) { return fstat(number, (struct stat *)status); }
int fstatat(int directory, const char *restrict path, struct stat *restrict status, int flags) {
    REAL(int, "fstatat", int, const char *, struct stat *, int);
    return is_name(directory, path) && fails(STAT) ? -1 : real(directory, path, status, flags);
}
int stat(const char *restrict path, struct stat *restrict status) { return fstatat(AT_FDCWD, path, status, 0); }
int lstat(const char *restrict path, struct stat *restrict status) {
    return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
