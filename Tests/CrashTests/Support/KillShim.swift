// KillShim: a library to preload that kills its process right before or right after one chosen call to the system.

import Foundation
import Testing

/// A library to preload that kills its process right before or right after one chosen call to the system.
///
/// `KILL_CALLS` is `commits`, the writes of a meta page, or `files`, everything that changes a file or a directory;
/// `KILL_AT` counts them from one; `KILL_SIDE` is `before` or `after`.
enum KillShim {
    /// What to count.
    enum Calls: String {
        case commits
        case files
    }

    /// Which side of the call to die on.
    enum Side: String, CaseIterable, CustomTestStringConvertible {
        case before
        case after

        var testDescription: String { rawValue }
    }

    /// The path of the library, or nil where there is no C compiler that can make it.
    static let path: String? = compile()

    /// The environment of a child that dies at call number `number`.
    static func environment(_ calls: Calls, _ number: Int, _ side: Side) -> [String: String] {
        [
            "LD_PRELOAD": path ?? "", "KILL_CALLS": calls.rawValue, "KILL_AT": "\(number)",
            "KILL_SIDE": side.rawValue,
        ]
    }

    private static func compile() -> String? {
        #if os(Linux)
        let base = FileManager.default.temporaryDirectory.appending(path: "larder-kill-\(UUID().uuidString)").path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", base + ".so", base + ".c", "-ldl"]
        defer { try? FileManager.default.removeItem(atPath: base + ".c") }
        guard (try? Data(source.utf8).write(to: URL(fileURLWithPath: base + ".c"))) != nil,
            (try? compiler.run()) != nil
        else { return nil }
        compiler.waitUntilExit()
        return compiler.terminationStatus == 0 ? base + ".so" : nil
        #else
        return nil
        #endif
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/uio.h>
        #include <unistd.h>

        static int count;

        static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

        /* Counts a call; 1 when the process has to die after it. Dies at once when it has to die before. */
        static int enter(const char *kind) {
            const char *calls = getenv("KILL_CALLS"), *at = getenv("KILL_AT"), *side = getenv("KILL_SIDE");
            if (!calls || !at || !side || strcmp(calls, kind) != 0) return 0;
            if (__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) != atoi(at)) return 0;
            if (strcmp(side, "before") == 0) die();
            return 1;
        }

        static int is_file(int number) {
            struct stat status;
            return fstat(number, &status) == 0 && S_ISREG(status.st_mode);
        }

        #define REAL(name, type, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)
        #define CALL(type, due, call) { int dies = (due); type result = call; if (dies) die(); return result; }

        /* LMDB 0.9 writes the used part of a meta page, 120 bytes behind the two headers of 16, and nothing like it. */
        static int is_meta(size_t size, off_t offset) { return size == 120 && offset % 4096 == 32; }

        ssize_t pwrite(int number, const void *bytes, size_t size, off_t offset) {
            REAL(pwrite, ssize_t, int, const void *, size_t, off_t);
            int is_last = enter("files");
            if (is_meta(size, offset)) is_last |= enter("commits");
            CALL(ssize_t, is_last, real(number, bytes, size, offset))
        }
        ssize_t pwrite64(int number, const void *bytes, size_t size, off_t offset) {
            return pwrite(number, bytes, size, offset);
        }
        ssize_t write(int number, const void *bytes, size_t size) {
            REAL(write, ssize_t, int, const void *, size_t);
            CALL(ssize_t, is_file(number) && enter("files"), real(number, bytes, size))
        }
        ssize_t writev(int number, const struct iovec *parts, int length) {
            REAL(writev, ssize_t, int, const struct iovec *, int);
            CALL(ssize_t, enter("files"), real(number, parts, length))
        }
        int fsync(int number) { REAL(fsync, int, int); CALL(int, enter("files"), real(number)) }
        int fdatasync(int number) { REAL(fdatasync, int, int); CALL(int, enter("files"), real(number)) }
        int ftruncate(int number, off_t size) {
            REAL(ftruncate, int, int, off_t); CALL(int, enter("files"), real(number, size))
        }
        int ftruncate64(int number, off_t size) { return ftruncate(number, size); }
        int rename(const char *from, const char *to) {
            REAL(rename, int, const char *, const char *); CALL(int, enter("files"), real(from, to))
        }
        int mkdir(const char *path, mode_t mode) {
            REAL(mkdir, int, const char *, mode_t); CALL(int, enter("files"), real(path, mode))
        }
        int unlink(const char *path) { REAL(unlink, int, const char *); CALL(int, enter("files"), real(path)) }
        int unlinkat(int directory, const char *path, int flags) {
            REAL(unlinkat, int, int, const char *, int); CALL(int, enter("files"), real(directory, path, flags))
        }
        int rmdir(const char *path) { REAL(rmdir, int, const char *); CALL(int, enter("files"), real(path)) }
        """
}
