#if DEBUG
internal import Synchronization

/// A counter of the accesses to tables, for tests. Debug builds only.
package final class AccessCounts: Sendable {
    /// The counter of the current task.
    @TaskLocal package static var current: AccessCounts?

    fileprivate let counts = Mutex<[TableAccess: Int]>([:])

    /// Creates a counter at 0.
    package init() {}

    /// The number of accesses of a kind.
    package subscript(access: TableAccess) -> Int { counts.withLock { $0[access] ?? 0 } }
}
#endif

/// A kind of access to a table.
package enum TableAccess: Hashable, Sendable {
    /// Finding a value by its key.
    case lookup
    /// Moving a cursor.
    case move
    /// Storing a value.
    case set
    /// Following the way from the root of a table to a leaf, in a file whose pages no walk has checked.
    case descent
    /// Checking a page that is met for the first time.
    case pageCheck

    /// Counts the access where a test set a counter; does nothing in a release build.
    @inline(__always)
    func record() {
        #if DEBUG
        AccessCounts.current?.counts.withLock { $0[self, default: 0] += 1 }
        #endif
    }
}
