// A library to preload that records every change of the files below a directory, with its bytes, in the order of the
// changes. Tools/evidence/power-cuts makes the states of a power cut of them.
//
// EVIDENCE_ROOT is the directory, without links in its path; EVIDENCE_LOG the file that records are appended to. A
// record is a head and the bytes of two paths and of data. A call is recorded when it has returned without an error,
// and no other call changes anything meanwhile. Changes through a map are not recorded: the map itself is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, LINK, MAP, OTHER };
enum { CREATED = 1, IS_DIRECTORY = 2, IS_SYNCED = 1 };

struct head {
    uint32_t kind, flags, first, second;
    uint64_t inode, offset, size;
};

struct file {
    int is_tracked, is_synced, is_appending;
    uint64_t inode;
};

#define MOST_FILES 4096
static struct file files[MOST_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[512];
static size_t root_length;
static int log_file = -1;

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("EVIDENCE_LOG"), *directory = getenv("EVIDENCE_ROOT");
    if (!path || !directory) return;
    root_length = (size_t)snprintf(root, sizeof root, "%s/", directory);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_file = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, file);
}

static void record(enum kind kind, uint32_t flags, uint64_t inode, uint64_t offset, const char *first,
    const char *second, const struct iovec *parts, int count, size_t size) {
    struct head head = {kind, flags, first ? strlen(first) : 0, second ? strlen(second) : 0, inode, offset, size};
    char *bytes = malloc(sizeof head + head.first + head.second + size), *end = bytes;
    end = mempcpy(end, &head, sizeof head);
    end = mempcpy(end, first ? first : "", head.first);
    end = mempcpy(end, second ? second : "", head.second);
    for (int part = 0; part < count && size > 0; part++) {
        size_t taken = parts[part].iov_len < size ? parts[part].iov_len : size;
        end = mempcpy(end, parts[part].iov_base, taken);
        size -= taken;
    }
    for (char *next = bytes; next < end;) {
        long written = syscall(SYS_write, log_file, next, end - next);
        if (written < 0) abort();
        next += written;
    }
    free(bytes);
}

// The path of a name below the root, without the root; NULL elsewhere.
static const char *path_in(int directory, const char *name, char *space) {
    if (log_file < 0) return NULL;
    if (name[0] == '/') {
        snprintf(space, 1024, "%s", name);
    } else if (directory == AT_FDCWD) {
        if (!getcwd(space, 512)) return NULL;
        size_t length = strlen(space);
        snprintf(space + length, 1024 - length, "/%s", name);
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, space, 511);
        if (length < 0) return NULL;
        snprintf(space + length, 1024 - (size_t)length, "/%s", name);
    }
    if (strncmp(space, root, root_length) == 0) return space + root_length;
    return strlen(space) == root_length - 1 && strncmp(space, root, root_length - 1) == 0 ? "" : NULL;
}

static void opened(int number, int flags, const char *path, int existed) {
    if (number < 0 || number >= MOST_FILES) return;
    struct stat status;
    files[number].is_tracked = 0;
    if (!path || fstat(number, &status) != 0) return;
    files[number] = (struct file){1, (flags & (O_DSYNC | O_SYNC)) != 0, (flags & O_APPEND) != 0, status.st_ino};
    // The name of a directory may be one with "..".
    char link[64], target[1024];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) abort();
    target[length] = 0;
    const char *name = strncmp(target, root, root_length) == 0 ? target + root_length : "";
    uint32_t is_directory = S_ISDIR(status.st_mode) ? IS_DIRECTORY : 0;
    record(OPEN, (existed ? 0 : CREATED) | is_directory, status.st_ino, 0, name, NULL, NULL, 0, 0);
    if (existed && (flags & O_TRUNC)) record(TRUNCATE, 0, status.st_ino, 0, NULL, NULL, NULL, 0, 0);
}

static int opening(int directory, const char *name, int flags, mode_t mode) {
    REAL(int, "openat", int, const char *, int, mode_t);
    char space[1024];
    const char *path = path_in(directory, name, space);
    pthread_mutex_lock(&lock);
    struct stat status;
    int existed = !(flags & O_CREAT) || fstatat(directory, name, &status, 0) == 0;
    int number = real(directory, name, flags, mode), error = errno;
    opened(number, flags, path, existed);
    pthread_mutex_unlock(&lock);
    errno = error;
    return number;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) { MODE(flags) return opening(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opening(AT_FDCWD, name, flags, mode); }
int openat(int directory, const char *name, int flags, ...) {
    MODE(flags) return opening(directory, name, flags, mode);
}
int openat64(int directory, const char *name, int flags, ...) {
    MODE(flags) return opening(directory, name, flags, mode);
}
int __open_2(const char *name, int flags) { return opening(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return opening(AT_FDCWD, name, flags, 0); }
int __openat_2(int directory, const char *name, int flags) { return opening(directory, name, flags, 0); }
int creat(const char *name, mode_t mode) { return opening(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

static struct file *tracked(int number) {
    return log_file >= 0 && number >= 0 && number < MOST_FILES && files[number].is_tracked ? &files[number] : NULL;
}

int close(int number) {
    REAL(int, "close", int);
    if (log_file >= 0 && number == log_file) return 0;
    pthread_mutex_lock(&lock);
    if (number >= 0 && number < MOST_FILES) files[number].is_tracked = 0;
    pthread_mutex_unlock(&lock);
    return real(number);
}

int dup(int number) {
    REAL(int, "dup", int);
    int copy = real(number);
    if (copy >= 0 && copy < MOST_FILES && number < MOST_FILES) files[copy] = files[number];
    return copy;
}

int dup2(int number, int copy) {
    REAL(int, "dup2", int, int);
    int result = real(number, copy);
    if (result >= 0 && result < MOST_FILES && number < MOST_FILES) files[result] = files[number];
    return result;
}

static ssize_t writing(int number, const struct iovec *parts, int count, off_t offset) {
    REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
    struct file *file = tracked(number);
    if (!file) {
        if (offset < 0) return syscall(SYS_writev, number, parts, count);
        return real(number, parts, count, offset);
    }
    pthread_mutex_lock(&lock);
    off_t start = offset;
    struct stat status;
    if (offset < 0) start = lseek(number, 0, SEEK_CUR);
    if (file->is_appending && fstat(number, &status) == 0) start = status.st_size;
    ssize_t size = offset < 0 ? syscall(SYS_writev, number, parts, count) : real(number, parts, count, offset);
    int error = errno;
    uint32_t flags = file->is_synced ? IS_SYNCED : 0;
    if (size > 0) record(WRITE, flags, file->inode, (uint64_t)start, NULL, NULL, parts, count, (size_t)size);
    pthread_mutex_unlock(&lock);
    errno = error;
    return size;
}

ssize_t write(int number, const void *bytes, size_t size) {
    if (!tracked(number)) return syscall(SYS_write, number, bytes, size);
    return writing(number, &(struct iovec){(void *)bytes, size}, 1, -1);
}
ssize_t pwrite(int number, const void *bytes, size_t size, off_t offset) {
    if (!tracked(number)) return syscall(SYS_pwrite64, number, bytes, size, offset);
    return writing(number, &(struct iovec){(void *)bytes, size}, 1, offset);
}
ssize_t pwrite64(int number, const void *bytes, size_t size, off_t offset) {
    return pwrite(number, bytes, size, offset);
}
ssize_t writev(int number, const struct iovec *parts, int count) { return writing(number, parts, count, -1); }
ssize_t pwritev(int number, const struct iovec *parts, int count, off_t offset) {
    return writing(number, parts, count, offset);
}
ssize_t pwritev64(int number, const struct iovec *parts, int count, off_t offset) {
    return writing(number, parts, count, offset);
}

// Calls the real function, and records it when it was done to a file that is followed.
#define ON_FILE(kind, number, start, call) \
    struct file *file = tracked(number); \
    if (!file) return call; \
    pthread_mutex_lock(&lock); \
    int result = call, error = errno; \
    if (result == 0) record(kind, 0, file->inode, (uint64_t)(start), NULL, NULL, NULL, 0, 0); \
    pthread_mutex_unlock(&lock); \
    errno = error; \
    return result

int fsync(int number) { REAL(int, "fsync", int); ON_FILE(SYNC, number, 0, real(number)); }
int fdatasync(int number) { REAL(int, "fdatasync", int); ON_FILE(SYNC, number, 1, real(number)); }
int ftruncate(int number, off_t size) {
    REAL(int, "ftruncate", int, off_t);
    ON_FILE(TRUNCATE, number, size, real(number, size));
}
int ftruncate64(int number, off_t size) { return ftruncate(number, size); }
int fallocate(int number, int mode, off_t start, off_t size) {
    REAL(int, "fallocate", int, int, off_t, off_t);
    ON_FILE(OTHER, number, start, real(number, mode, start, size));
}
int fallocate64(int number, int mode, off_t start, off_t size) { return fallocate(number, mode, start, size); }
int posix_fallocate(int number, off_t start, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    ON_FILE(OTHER, number, start, real(number, start, size));
}
int sync_file_range(int number, off64_t start, off64_t size, unsigned int flags) {
    REAL(int, "sync_file_range", int, off64_t, off64_t, unsigned int);
    // It says nothing of the medium's own cache, so it is no sync.
    ON_FILE(OTHER, number, start, real(number, start, size, flags));
}

// Calls the real function, and records it when it was done to a name below the root.
#define ON_NAME(kind, first, second, call) \
    pthread_mutex_lock(&lock); \
    int result = call, error = errno; \
    if (result == 0 && (first)) record(kind, 0, 0, 0, first, second, NULL, 0, 0); \
    pthread_mutex_unlock(&lock); \
    errno = error; \
    return result

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags) {
    char one[1024], two[1024];
    const char *first = path_in(from, old, one), *second = path_in(to, new, two);
    ON_NAME(RENAME, first, second, (int)syscall(SYS_renameat2, from, old, to, new, flags));
}
int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }
int unlinkat(int directory, const char *name, int flags) {
    char space[1024];
    const char *path = path_in(directory, name, space);
    enum kind kind = flags & AT_REMOVEDIR ? RMDIR : UNLINK;
    ON_NAME(kind, path, NULL, (int)syscall(SYS_unlinkat, directory, name, flags));
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
    if (unlink(name) == 0) return 0;
    return errno == EISDIR || errno == EPERM ? rmdir(name) : -1;
}
int mkdirat(int directory, const char *name, mode_t mode) {
    char space[1024];
    const char *path = path_in(directory, name, space);
    ON_NAME(MKDIR, path, NULL, (int)syscall(SYS_mkdirat, directory, name, mode));
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
int linkat(int from, const char *old, int to, const char *new, int flags) {
    char one[1024], two[1024];
    const char *first = path_in(from, old, one), *second = path_in(to, new, two);
    ON_NAME(LINK, first, second, (int)syscall(SYS_linkat, from, old, to, new, flags));
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

void *mmap(void *address, size_t size, int protection, int flags, int number, off_t offset) {
    struct file *file = tracked(number);
    int is_writable = (protection & PROT_WRITE) && (flags & MAP_SHARED);
    if (file && is_writable) record(MAP, 0, file->inode, 0, NULL, NULL, NULL, 0, 0);
    return (void *)syscall(SYS_mmap, address, size, protection, flags, number, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int number, off_t offset) {
    return mmap(address, size, protection, flags, number, offset);
}
