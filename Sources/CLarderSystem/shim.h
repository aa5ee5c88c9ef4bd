#pragma once

// What the system offers and Swift's overlay of the C library leaves out.

#include "netlink.h"

#ifdef __linux__
#include <errno.h>
#include <sys/vfs.h>

/// The type number of the file system that holds `path`, or a negative errno.
static inline long larder_file_system_type(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -(long)errno;
    return (long)(unsigned int)status.f_type;
}
#endif
