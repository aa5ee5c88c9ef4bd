// SeededExecutor: runs the jobs of Swift's tasks on one thread, one at a time, in an order that follows from a seed.

internal import LarderTesting

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Runs the jobs of Swift's tasks on one thread, one at a time, in an order that follows from a seed.
///
/// The runtime gives every job that belongs to no actor to `swift_task_enqueueGlobal`, which asks a hook first
/// (swift/Runtime/Concurrency.h). The hook takes a job for the executor that catches jobs on the thread where it becomes
/// ready, and leaves it to the runtime on every other thread: simulations run beside each other and beside other tasks.
@safe
package final class SeededExecutor: TaskExecutor, @unchecked Sendable {
    // Sendable: everything mutable is touched on the thread that made it only, as `enqueue` makes sure.
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private var jobs: [UnownedJob] = []
    private var random: SeededGenerator
    private let thread = pthread_self()

    /// An executor of the calling thread.
    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        _ = Self.isHooked
    }

    /// Whether no job is ready.
    package var isIdle: Bool { jobs.isEmpty }

    /// Takes a job that becomes ready while another of the executor runs.
    package func enqueue(_ job: consuming ExecutorJob) {
        precondition(pthread_equal(thread, pthread_self()) != 0, "a job of a simulation comes from another thread")
        jobs.append(UnownedJob(job))
    }

    /// Catches the jobs that become ready on this thread during `body`.
    package func catching<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = unsafe pthread_getspecific(Self.key)
        // The executor outlives the call, and so the pointer to it.
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe pthread_setspecific(Self.key, outer) }
        return try body()
    }

    /// Runs a job, mostly the one that has been ready for longest; false when none is ready.
    @discardableResult
    package func runNext() -> Bool {
        if jobs.isEmpty { return false }
        let place = jobs.count > 1 && random.below(4) == 0 ? random.below(jobs.count) : 0
        let job = jobs.remove(at: place)
        // Given by the runtime to be run once, and taken out of the queue before.
        catching { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        return true
    }

    /// What catches jobs on this thread.
    private static var current: SeededExecutor? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        // Set by `catching` for as long as the executor is there.
        return unsafe Unmanaged<SeededExecutor>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(unsafe pthread_key_create(&key, nil) == 0, "no key is left for the thread's executor")
        return key
    }()

    /// Sets the hook, once in the process.
    private static let isHooked: Bool = {
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("the concurrency runtime has no hook for jobs")
        }
        // The variable has this type; its functions have Swift's calling convention, as thin ones do.
        unsafe symbol.assumingMemoryBound(to: Optional<Hook>.self).pointee = { job, original in
            if let executor = SeededExecutor.current { executor.jobs.append(job) } else { original(job) }
        }
        return true
    }()
}
