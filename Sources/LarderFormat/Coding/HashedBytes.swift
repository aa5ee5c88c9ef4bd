#if DEBUG
internal import Synchronization

/// A counter for tests of the bytes that checksums were computed over; absent from release builds.
package final class HashedBytes: Sendable {
    /// The counter of the current task; nil where nothing is counted.
    @TaskLocal package static var current: HashedBytes?

    private let bytes = Mutex(0)

    /// Creates a counter at 0.
    package init() {}

    /// The number of bytes so far.
    package var count: Int { bytes.withLock { $0 } }

    func add(_ more: Int) { bytes.withLock { $0 += more } }
}
#endif
