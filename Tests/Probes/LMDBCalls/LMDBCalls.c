#define _GNU_SOURCE
#include "LMDBCalls.h"

#include <dlfcn.h>
#include <lmdb.h>

static _Thread_local struct lmdb_calls calls;

struct lmdb_calls lmdb_calls_of_this_thread(void) { return calls; }

static int (*next_get)(MDB_txn *, MDB_dbi, MDB_val *, MDB_val *);
static int (*next_cursor_get)(MDB_cursor *, MDB_val *, MDB_val *, MDB_cursor_op);
static int (*next_put)(MDB_txn *, MDB_dbi, MDB_val *, MDB_val *, unsigned int);
static int (*next_del)(MDB_txn *, MDB_dbi, MDB_val *, MDB_val *);
static int (*next_cursor_del)(MDB_cursor *, unsigned int);

__attribute__((constructor)) static void find_next(void) {
    next_get = dlsym(RTLD_NEXT, "mdb_get");
    next_cursor_get = dlsym(RTLD_NEXT, "mdb_cursor_get");
    next_put = dlsym(RTLD_NEXT, "mdb_put");
    next_del = dlsym(RTLD_NEXT, "mdb_del");
    next_cursor_del = dlsym(RTLD_NEXT, "mdb_cursor_del");
}

int mdb_get(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
    calls.lookups++;
    return next_get(txn, dbi, key, data);
}

int mdb_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op operation) {
    switch (operation) {
    case MDB_SET:
    case MDB_SET_KEY:
    case MDB_SET_RANGE: calls.lookups++; break;
    default: calls.steps++;
    }
    return next_cursor_get(cursor, key, data, operation);
}

int mdb_put(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data, unsigned int flags) {
    calls.changes++;
    return next_put(txn, dbi, key, data, flags);
}

int mdb_del(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
    calls.changes++;
    return next_del(txn, dbi, key, data);
}

int mdb_cursor_del(MDB_cursor *cursor, unsigned int flags) {
    calls.changes++;
    return next_cursor_del(cursor, flags);
}
