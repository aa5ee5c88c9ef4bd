// Allocations: the C library's functions that allocate memory, with a count of their calls while one is wanted.

#include "CCounters.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool is_counting;
static atomic_uint_fast64_t count;

void allocation_count_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&is_counting, true);
}

uint64_t allocation_count_end(void) {
    atomic_store(&is_counting, false);
    return atomic_load(&count);
}

#ifdef __GLIBC__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void count_one(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
}

// The definitions of the program take the place of the C library's, for every library that it loads.
void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    count_one();
    return __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
    count_one();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count_one();
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) { return ENOMEM; }
    *result = memory;
    return 0;
}
#endif
