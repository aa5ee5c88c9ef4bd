private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The one thread that runs every write transaction of an environment.
///
/// LMDB's writer belongs to its thread. A commit from another thread succeeds and deadlocks the next writer, and a
/// thread that ends inside a write transaction stops the environment. Therefore one thread runs all of them, and lives
/// until close. A stepped writer has no thread: its jobs wait for ``runNext()``, and one thread calls everything.
@safe
final class WriterThread: @unchecked Sendable {
    // Sendable: everything mutable is used under the monitor only; `thread` and `isStepped` are set before it is
    // shared.
    private let monitor = Monitor()
    private var urgent = JobQueue()
    private var bulk = JobQueue()
    /// The number of jobs run since the last bulk job while one waited.
    private var urgentStreak = 0
    private var isStopping = false
    private var idleWork: (@Sendable () -> Void)?
    private var thread: pthread_t?
    private var isStepped = false
    /// Whether a stepped writer runs a job.
    private let isStepping = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    /// The number of other jobs in a row after which a waiting bulk job runs, so that writers in a loop cannot starve
    /// bulk work.
    private static let longestStreak = 8
    /// The time the thread sleeps before it clears stale readers.
    private static let idleMilliseconds = 60_000

    /// Makes jobs wait for ``runNext()`` in place of a thread.
    func startStepped() { isStepped = true }

    /// Runs the next job of a stepped writer; returns false when none waits.
    func runNext() -> Bool {
        precondition(isStepped && !isCurrent, "a writer runs its own jobs, or runs one already")
        guard let job = monitor.locked({ nextWaiting() }) else { return false }
        isStepping.store(true, ordering: .relaxed)
        defer { isStepping.store(false, ordering: .relaxed) }
        job()
        return true
    }

    /// Runs all waiting jobs of a stepped writer, whose caller is about to block until its job has run.
    func runIfStepped() {
        guard isStepped else { return }
        while runNext() {}
    }

    /// Starts the thread. `idleWork` runs on it about once a minute while there is nothing to write.
    func start(idleWork: @escaping @Sendable () -> Void) throws(EngineError) {
        self.idleWork = idleWork
        // Balanced by takeRetainedValue in the thread.
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        var started = pthread_t()
        let code = unsafe pthread_create(
            &started, nil,
            { context in
                #if canImport(Darwin)
                let writer = unsafe Unmanaged<WriterThread>.fromOpaque(context).takeRetainedValue()
                #else
                let writer = unsafe Unmanaged<WriterThread>.fromOpaque(context!).takeRetainedValue()
                #endif
                writer.run()
                return nil
            }, context)
        if code != 0 {
            unsafe Unmanaged<WriterThread>.fromOpaque(context).release()
            throw EngineError(code: code, operation: "pthread_create")
        }
        thread = started
    }

    /// Whether the caller is on this thread.
    var isCurrent: Bool {
        if isStepped { return isStepping.load(ordering: .relaxed) }
        // Threads created after this one has ended may have its identifier.
        guard let thread, !hasEnded.load(ordering: .acquiring) else { return false }
        return pthread_equal(pthread_self(), thread) != 0
    }

    /// Runs `job` on the thread after those already waiting; other jobs precede bulk jobs, eight in a row at most.
    ///
    /// - Returns: false when the thread is stopping, so that the job will not run.
    func submit(isBulk: Bool, _ job: @escaping @Sendable () -> Void) -> Bool {
        monitor.locked {
            if isStopping { return false }
            if isBulk { bulk.append(job) } else { urgent.append(job) }
            monitor.signalAll()
            return true
        }
    }

    /// Whether a job waits that is not bulk work.
    var hasUrgentJobs: Bool { monitor.locked { !urgent.isEmpty } }

    /// Whether any job waits.
    var hasJobs: Bool { monitor.locked { !urgent.isEmpty || !bulk.isEmpty } }

    /// Whether the thread accepts no more jobs.
    var isEnding: Bool { monitor.locked { isStopping } }

    /// Runs the waiting jobs, then ends the thread. Returns when it has ended.
    func stop() {
        precondition(!isCurrent, "a store cannot be closed from inside one of its writes")
        let isFirst = monitor.locked {
            defer {
                isStopping = true
                monitor.signalAll()
            }
            return !isStopping
        }
        if isFirst { runIfStepped() }
        if isFirst, let thread { pthread_join(thread, nil) }
    }

    private func run() {
        while let job = nextJob() { job() }
        hasEnded.store(true, ordering: .releasing)
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        while true {
            let (job, isDone, isIdle) = monitor.locked { () -> ((@Sendable () -> Void)?, Bool, Bool) in
                if let job = nextWaiting() { return (job, false, false) }
                if isStopping { return (nil, true, false) }
                return (nil, false, !monitor.wait(milliseconds: Self.idleMilliseconds))
            }
            if job != nil || isDone { return job }
            if isIdle { idleWork?() }
        }
    }

    /// Returns the next job; under the monitor.
    private func nextWaiting() -> (@Sendable () -> Void)? {
        if bulk.isEmpty { urgentStreak = 0 }
        if urgentStreak < Self.longestStreak, let job = urgent.next() {
            if !bulk.isEmpty { urgentStreak += 1 }
            return job
        }
        urgentStreak = 0
        return bulk.next() ?? urgent.next()
    }
}

/// A queue of jobs in the order given.
private struct JobQueue {
    private var jobs: [(@Sendable () -> Void)?] = []
    private var first = 0

    var isEmpty: Bool { first == jobs.count }

    mutating func append(_ job: @escaping @Sendable () -> Void) {
        jobs.append(job)
    }

    /// Removes and returns the first job, in constant time on average however many wait.
    mutating func next() -> (@Sendable () -> Void)? {
        guard first < jobs.count else { return nil }
        let job = jobs[first].take()
        first += 1
        if first > 32 && first * 2 > jobs.count {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
