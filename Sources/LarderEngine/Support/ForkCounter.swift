private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A counter of the forks that led to this process, so that a child can detect its parent's environment without a
/// system call per transaction.
enum ForkCounter {
    private static let count = Atomic<Int>(0)

    private static let installed: Bool = {
        pthread_atfork(nil, nil) { ForkCounter.increment() }
        return true
    }()

    private static func increment() {
        count.add(1, ordering: .relaxed)
    }

    /// The number of forks between the first use and this process.
    static var current: Int {
        _ = installed
        return count.load(ordering: .relaxed)
    }
}
