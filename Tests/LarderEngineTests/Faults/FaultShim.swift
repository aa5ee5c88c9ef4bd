// FaultShim: a preloaded library that makes one selected system call on a data file fail.

import Foundation

/// A library to preload that makes one chosen system call on a data file fail, compiled when it is first needed.
///
/// `FAULT_CALL` is `sync`, `write` or `short`; `FAULT_AT` counts those calls from one, and begins to count when the
/// process has said `opened`. For `read` it is the number of a page that every read of the file
/// fails for, or the first `FAULT_TIMES`. For removals of files, of whatever name, it is `unlink`, which fails, `die`, which kills the
/// process before it, or `swap`, which first moves the directory `FAULT_DIRECTORY` away, to `-moved`, and `-other` into its
/// place. `FAULT_LOG` names a file that gets a line for each directory that is synced, with the
/// names in it that are a store's.
enum FaultShim {
    /// The path of the library, or nil where there is no C compiler.
    static let path: String? = {
        let base = Probe.products.appending(path: "engine-fault-\(getpid())").path
        let library = Probe.products.appending(path: "engine-fault.so").path
        guard (try? Data(source.utf8).write(to: URL(fileURLWithPath: base + ".c"))) != nil,
            let result = try? run("cc", "-shared", "-fPIC", "-O1", "-o", base + ".so", base + ".c", "-ldl"),
            result.status == 0
        else { return nil }
        unsafe unlink(base + ".c")
        return unsafe rename(base + ".so", library) == 0 ? library : nil
    }()

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/uio.h>
        #include <unistd.h>

        static int counting, count;

        static int is_data(int number) {
            char link[64], target[512];
            snprintf(link, sizeof link, "/proc/self/fd/%d", number);
            ssize_t length = readlink(link, target, sizeof target - 1);
            if (length < 0) return 0;
            target[length] = 0;
            return length > 9 && strcmp(target + length - 9, "/data.mdb") == 0;
        }

        static int is_wanted(const char *call) {
            const char *wanted = getenv("FAULT_CALL");
            return counting && wanted && getenv("FAULT_AT") && strcmp(wanted, call) == 0;
        }

        static int is_due(const char *call, int number) {
            if (!is_wanted(call) || !is_data(number)) return 0;
            return ++count == atoi(getenv("FAULT_AT"));
        }

        static int removal_fails(void) {
            int fails = is_wanted("unlink"), dies = is_wanted("die"), swaps = is_wanted("swap");
            if (!(fails || dies || swaps) || ++count != atoi(getenv("FAULT_AT"))) return 0;
            if (dies) raise(SIGKILL);
            if (swaps) {
                const char *path = getenv("FAULT_DIRECTORY");
                char moved[512], other[512];
                snprintf(moved, sizeof moved, "%s-moved", path);
                snprintf(other, sizeof other, "%s-other", path);
                if (rename(path, moved) != 0 || rename(other, path) != 0) abort();
            }
            errno = EIO;
            return fails;
        }

        int unlink(const char *path) {
            static int (*real)(const char *);
            if (!real) real = dlsym(RTLD_NEXT, "unlink");
            return removal_fails() ? -1 : real(path);
        }

        int unlinkat(int directory, const char *path, int flags) {
            static int (*real)(int, const char *, int);
            if (!real) real = dlsym(RTLD_NEXT, "unlinkat");
            return removal_fails() ? -1 : real(directory, path, flags);
        }

        ssize_t write(int number, const void *bytes, size_t size) {
            static ssize_t (*real)(int, const void *, size_t);
            if (!real) real = dlsym(RTLD_NEXT, "write");
            if (size >= 6 && memcmp(bytes, "opened", 6) == 0) counting = 1;
            return real(number, bytes, size);
        }

        int fdatasync(int number) {
            static int (*real)(int);
            if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
            if (is_due("sync", number)) { errno = EIO; return -1; }
            return real(number);
        }

        int fsync(int number) {
            static int (*real)(int);
            if (!real) real = dlsym(RTLD_NEXT, "fsync");
            const char *log = getenv("FAULT_LOG");
            struct stat status;
            if (log && fstat(number, &status) == 0 && S_ISDIR(status.st_mode)) {
                char link[64], target[512];
                snprintf(link, sizeof link, "/proc/self/fd/%d", number);
                ssize_t length = readlink(link, target, sizeof target - 1);
                target[length < 0 ? 0 : length] = 0;
                FILE *file = fopen(log, "a");
                fprintf(file, "%s", target);
                const char *names[] = {"store", "data.mdb", "guard.lock"};
                for (int name = 0; name < 3; name++)
                    if (faccessat(number, names[name], F_OK, 0) == 0) fprintf(file, " %s", names[name]);
                fprintf(file, "\\n");
                fclose(file);
            }
            return real(number);
        }

        ssize_t pread(int number, void *bytes, size_t size, off_t offset) {
            static ssize_t (*real)(int, void *, size_t, off_t);
            if (!real) real = dlsym(RTLD_NEXT, "pread");
            if (is_wanted("read") && is_data(number)) {
                off_t page = atoi(getenv("FAULT_AT")) * (off_t)4096;
                const char *times = getenv("FAULT_TIMES");
                int is_over = times && count >= atoi(times);
                if (!is_over && offset < page + 4096 && offset + (off_t)size > page) { count++; errno = EIO; return -1; }
            }
            return real(number, bytes, size, offset);
        }

        ssize_t pread64(int number, void *bytes, size_t size, off_t offset) {
            return pread(number, bytes, size, offset);
        }

        ssize_t pwrite(int number, const void *bytes, size_t size, off_t offset) {
            static ssize_t (*real)(int, const void *, size_t, off_t);
            if (!real) real = dlsym(RTLD_NEXT, "pwrite");
            if (is_due("write", number)) { errno = EIO; return -1; }
            if (is_due("short", number)) return real(number, bytes, size / 2, offset);
            return real(number, bytes, size, offset);
        }

        ssize_t pwrite64(int number, const void *bytes, size_t size, off_t offset) {
            return pwrite(number, bytes, size, offset);
        }

        ssize_t pwritev(int number, const struct iovec *parts, int parts_count, off_t offset) {
            static ssize_t (*real)(int, const struct iovec *, int, off_t);
            if (!real) real = dlsym(RTLD_NEXT, "pwritev");
            if (is_due("write", number)) { errno = EIO; return -1; }
            if (is_due("short", number)) return real(number, parts, 1, offset);
            return real(number, parts, parts_count, offset);
        }

        ssize_t pwritev64(int number, const struct iovec *parts, int parts_count, off_t offset) {
            return pwritev(number, parts, parts_count, offset);
        }
        """
}
