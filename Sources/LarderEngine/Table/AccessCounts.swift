#if DEBUG
internal import Synchronization

/// Counts the accesses to tables, for tests. Debug builds only.
package final class AccessCounts: Sendable {
    /// The counter of the current task.
    @TaskLocal package static var current: AccessCounts?

    fileprivate let counts = Mutex<[TableAccess: Int]>([:])

    /// Begins at 0.
    package init() {}

    /// How often it was asked.
    package subscript(access: TableAccess) -> Int { counts.withLock { $0[access] ?? 0 } }
}
#endif

/// What may be asked of a table.
package enum TableAccess: Hashable, Sendable {
    /// To find a value by its key.
    case lookup
    /// To move a cursor.
    case move
    /// To store a value.
    case set

    /// Counts it where a test asks for that; does nothing in a release build.
    @inline(__always)
    func note() {
        #if DEBUG
        AccessCounts.current?.counts.withLock { $0[self, default: 0] += 1 }
        #endif
    }
}
