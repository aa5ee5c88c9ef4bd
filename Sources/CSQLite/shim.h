#pragma once
#include <sqlite3.h>

// What Swift cannot import: the destructor constant (a cast) and functions with variable arguments.

/// Binds a copy of `length` bytes of text.
static inline int larder_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

/// Binds a copy of `length` bytes.
static inline int larder_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                       : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Answers with a copy of `length` bytes of text.
static inline void larder_result_text(sqlite3_context *context, const char *text, int length) {
    sqlite3_result_text(context, text ? text : "", length, SQLITE_TRANSIENT);
}

/// Answers with a copy of `length` bytes.
static inline void larder_result_blob(sqlite3_context *context, const void *bytes, int length) {
    if (length == 0) sqlite3_result_zeroblob(context, 0);
    else sqlite3_result_blob(context, bytes, length, SQLITE_TRANSIENT);
}

/// Keeps a connection's own schema from being tampered with, loading of extensions off, and a misspelt column in double
/// quotes from being taken for a text.
static inline int larder_harden(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return code;
}
