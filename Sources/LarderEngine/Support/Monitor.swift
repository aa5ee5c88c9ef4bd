#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A mutual exclusion with a condition to wait on.
///
/// `Synchronization.Mutex` has no condition variable, and the engine has to block threads: readers while the map grows,
/// the writer thread while there is nothing to write.
@safe
final class Monitor: @unchecked Sendable {
    // Sendable: the pthread objects are made to be shared, and their addresses never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
        // A deadline must not move when the wall clock is set.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` under the lock.
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Releases the lock and waits until signalled; must be called inside ``locked(_:)``. May wake without cause.
    func wait() {
        unsafe pthread_cond_wait(condition, mutex)
    }

    /// Waits as ``wait()``, for at most `milliseconds`; returns false when the time ran out.
    func wait(milliseconds: Int) -> Bool {
        var until = timespec()
        #if canImport(Darwin)
        unsafe clock_gettime(CLOCK_REALTIME, &until)
        #else
        unsafe clock_gettime(CLOCK_MONOTONIC, &until)
        #endif
        let nanoseconds = until.tv_nsec + (milliseconds % 1000) * 1_000_000
        until.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        return unsafe pthread_cond_timedwait(condition, mutex, &until) == 0
    }

    /// Wakes every waiter.
    func signalAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}
