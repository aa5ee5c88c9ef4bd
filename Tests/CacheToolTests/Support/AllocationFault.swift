// AllocationFault: a preloaded library that makes one selected allocation of liblmdb fail.

import Foundation

/// A library to preload that makes one allocation of liblmdb fail, compiled when it is first needed.
///
/// `FAULT_AT` counts the allocations of liblmdb from one. The file `FAULT_LOG` is created when that one has failed.
enum AllocationFault {
    /// The path of the library, or nil where there is no C compiler.
    static let path: String? = {
        let base = Tool.directory.appending(path: "allocation-fault-\(getpid())").path
        let library = Tool.directory.appending(path: "allocation-fault.so").path
        let arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", base + ".so", base + ".c", "-ldl"]
        guard (try? Data(source.utf8).write(to: URL(fileURLWithPath: base + ".c"))) != nil,
            let result = try? Tool.run("/usr/bin/env", arguments), result.status == 0
        else { return nil }
        unsafe unlink(base + ".c")
        return unsafe rename(base + ".so", library) == 0 ? library : nil
    }()

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>

        extern void *__libc_malloc(size_t);
        extern void *__libc_calloc(size_t, size_t);

        static int count;

        static int is_due(char *caller) {
            static char *library;
            const char *wanted = getenv("FAULT_AT"), *log = getenv("FAULT_LOG");
            Dl_info info;
            if (!library) library = dlsym(RTLD_DEFAULT, "mdb_env_open");
            // dladdr is slow, and no code of liblmdb is further from that function.
            if (!wanted || !log || labs(caller - library) > 1 << 20) return 0;
            if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "liblmdb")) return 0;
            if (__sync_add_and_fetch(&count, 1) != atoi(wanted)) return 0;
            close(open(log, O_CREAT | O_WRONLY, 0600));
            errno = ENOMEM;
            return 1;
        }

        void *malloc(size_t size) {
            return is_due(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
        }

        void *calloc(size_t number, size_t size) {
            return is_due(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
        }
        """
}
