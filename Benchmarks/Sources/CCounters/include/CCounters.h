#pragma once
#include <stdint.h>

/// Begins to count the calls that allocate memory, of all threads of this process.
void allocation_count_begin(void);

/// Ends the count and returns it. Without glibc it is always 0.
uint64_t allocation_count_end(void);

/// Begins to count instructions and calls, where the program runs under callgrind.
void callgrind_begin(void);

/// Ends that count, and writes it to callgrind's next file under this name.
void callgrind_end(const char *name);
