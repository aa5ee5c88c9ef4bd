#pragma once
#define XXH_INLINE_ALL
#include <xxhash.h>

static inline unsigned long long larder_xxh64(const void *_Nullable bytes, size_t count, unsigned long long seed) {
    return XXH64(bytes, count, seed);
}
