// Counts what a thread asks of LMDB, so that tests can say what an operation costs without a clock.
//
// Linked into a test, these functions stand in front of liblmdb's own of the same names.

#pragma once

struct lmdb_calls {
    /// Searches from the root of a tree: mdb_get, and cursors that seek a key.
    long lookups;
    /// Moves of a cursor to an entry beside it, to an end of its table, or to where it stands.
    long steps;
    /// Entries put or removed.
    long changes;
};

/// What this thread has asked for since it began.
struct lmdb_calls lmdb_calls_of_this_thread(void);
