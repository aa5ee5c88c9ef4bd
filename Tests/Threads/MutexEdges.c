// Makes the waits of Swift's Mutex visible to the thread sanitizer.
//
// The fast paths of a Mutex are compiled into the module that uses it, with the sanitizer's calls. A wait is in Swift's
// library, which has none, so that what the lock protects looks like a race. These functions replace the library's in
// the program: each calls it, and notes the edge that the lock makes.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *);
void __tsan_release(void *);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *handle) __asm__(TRY);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    SWIFT void (*library)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    library(thread, handle);
    __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SELF void *handle) {
    SWIFT bool (*library)(SELF void *) = dlsym(RTLD_NEXT, TRY);
    bool is_locked = library(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *handle) {
    SWIFT void (*library)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    __tsan_release(handle);
    library(handle);
}
