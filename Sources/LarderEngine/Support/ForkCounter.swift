private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Counts how often this process image has been forked into, so that a child can tell that an environment is its
/// parent's without a system call per transaction.
enum ForkCounter {
    private static let count = Atomic<Int>(0)

    private static let installed: Bool = {
        pthread_atfork(nil, nil) { ForkCounter.bump() }
        return true
    }()

    private static func bump() {
        count.add(1, ordering: .relaxed)
    }

    /// The number of forks between the first use and this process.
    static var current: Int {
        _ = installed
        return count.load(ordering: .relaxed)
    }
}
