#if DEBUG
internal import Synchronization

/// The bytes that checksums were computed over, counted for tests; not there in a release build.
package final class HashedBytes: Sendable {
    /// Where what the current task hashes is counted.
    @TaskLocal package static var current: HashedBytes?

    private let bytes = Mutex(0)

    /// Begins at 0.
    package init() {}

    /// How many there were.
    package var count: Int { bytes.withLock { $0 } }

    func add(_ more: Int) { bytes.withLock { $0 += more } }
}
#endif
