internal import CLMDB
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One LMDB environment: a data file, its tables, a pool of readers and one writer thread.
///
/// A process has at most one per file, whatever path it was opened by. Opening it again with the same options returns
/// the same object, and every open is paired with a ``close(within:)``. Use across `fork` is refused.
@safe
public final class Environment: @unchecked Sendable {
    // Sendable: the handle is used under the remap lock, on the writer thread, or alone while opening and closing; it
    // changes on the writer thread while the environment is suspended, so that nothing else uses it. The rest is
    // immutable, atomic, or guarded by the registry's monitor.
    /// The open file; freed memory while the environment is suspended.
    var handle: OpaquePointer
    /// The absolute path of the store's directory, as given to the first open.
    public let path: String
    /// The options it was opened with.
    public let options: EnvironmentOptions
    /// The tables by name.
    public let tables: [String: Table]
    /// The encryption of the values; nil where they are stored plain.
    package let cipher: (any ValueCipher)?

    /// Whether no other process had the store open when this one opened it.
    public let wasOpenedAlone: Bool

    let identity: FileIdentity
    /// The guard that shows this opener to others; nil for a published copy, which is read without locks.
    let guardFile: GuardFile?
    let remapLock = RemapLock()
    let mapExtent = MapExtent()
    let pool = ReaderPool()
    let writer = WriterThread()
    let readerKey: pthread_key_t
    let state = Atomic<State.RawValue>(State.open.rawValue)
    /// Whether a close has ended the writer thread, even if that close still waits for readers.
    let hasStoppedWriting = Atomic<Bool>(false)
    /// Whether a read, or the check before the first write, has met damage.
    let hasMetDamage = Atomic<Bool>(false)
    /// The guard of pages that no walk has checked; changes while nothing else uses the environment.
    private(set) var pageGuard: PageGuard?
    /// Whether a walk over all pages has found nothing, so that reads need no guard.
    let hasSoundPages: Atomic<Bool>
    let externalCommits = Mutex(ExternalCommits())
    private let forkCount = ForkCounter.current
    /// The number of opens not yet closed; guarded by the registry.
    var openCount = 1
    /// The write transaction not yet committed or aborted; used on the writer thread only.
    var openTransaction: OpaquePointer?
    /// Whether commits now skip the meta page's sync; used on the writer thread only.
    var isRelaxed = false
    /// The check of the pages before the first write; used on the writer thread only.
    var pageCheck = PageCheck.due
    /// Whether the open checked the pages, because no clean close vouches for the file.
    package internal(set) var wasCheckedAtOpen = false
    /// The error of every commit of a stepped environment; used on the thread that steps it only.
    var commitFault: EngineError?
    /// The file's last page at the last check for dead readers; used on the writer thread only.
    var lastPageAtReaderCheck = 0

    /// The background work that waits while the environment is suspended; used on the writer thread only.
    var suspendedWork: [@Sendable () -> Void] = []
    /// The check of the file before it is opened again; used on the writer thread only.
    var validation: Validation?

    enum State: Int {
        case open, closing, closed, stopped, suspended
    }

    init(
        handle: OpaquePointer, path: String, options: EnvironmentOptions, tables: [String: Table],
        identity: FileIdentity, guardFile: GuardFile?, pages: PageGuard?, wasOpenedAlone: Bool
    ) throws(EngineError) {
        unsafe self.handle = handle
        self.path = path
        self.options = options
        cipher = options.cipher
        self.tables = tables
        self.identity = identity
        self.guardFile = guardFile
        pageGuard = pages
        hasSoundPages = Atomic(pages == nil)
        self.wasOpenedAlone = wasOpenedAlone
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        if code != 0 { throw EngineError(code: code, operation: "pthread_key_create") }
        readerKey = key
    }

    deinit {
        pthread_key_delete(readerKey)
    }

    /// Returns the table with this name. Traps when the options did not name it at open.
    public func table(_ name: String) -> Table {
        guard let table = tables[name] else { preconditionFailure("the table \(name) was not opened") }
        return table
    }

    /// Whether a failure to write has stopped the environment.
    package var isStopped: Bool { state.load(ordering: .acquiring) == State.stopped.rawValue }

    /// Throws unless the environment may be used by this process now; a suspended one may, once it is open again.
    func checkUsable() throws(EngineError) {
        if ForkCounter.current != forkCount { throw .usedAfterFork }
        switch State(rawValue: state.load(ordering: .acquiring)) {
        case .open, .suspended: return
        case .stopped: throw .stopped
        default: throw .closed
        }
    }

    /// Replaces the guard of the pages, while nothing else uses the environment.
    func guardPages(_ pages: PageGuard?) {
        pageGuard = pages
        hasSoundPages.store(pages == nil, ordering: .relaxed)
    }

    /// The guard that a transaction needs, if any.
    var neededGuard: PageGuard? { hasSoundPages.load(ordering: .relaxed) ? nil : pageGuard }

    /// Runs `body` while the environment can neither close nor move its map.
    ///
    /// - Parameter resumes: whether a suspended environment is opened again; otherwise it counts as closed.
    func whileOpen<Result>(
        resumes: Bool = true, _ body: () throws(EngineError) -> Result
    ) throws(EngineError) -> Result {
        try checkUsable()
        // A thread that reads has entered already, and would wait for a growth that waits for it.
        if isReading { return try body() }
        try lockOpen(resumes: resumes)
        defer { remapLock.unlockShared() }
        return try body()
    }

    /// Acquires the remap lock shared while the file is open; on failure it releases the lock.
    func lockOpen(resumes: Bool = true) throws(EngineError) {
        while true {
            // A close that waits for readers keeps the lock from others.
            try checkUsable()
            remapLock.lockShared()
            do throws(EngineError) {
                try checkUsable()
            } catch {
                remapLock.unlockShared()
                throw error
            }
            if !isSuspended { return }
            remapLock.unlockShared()
            guard resumes else { throw .closed }
            try resume()
        }
    }

    /// Whether this process was forked off after the environment was opened.
    var isForked: Bool { ForkCounter.current != forkCount }

    /// The reader slot of the view that this thread is reading, if any.
    var currentReader: ReaderSlot? {
        // Set by `read` on this thread only, which has the slot, and cleared before the read view is reset.
        unsafe pthread_getspecific(readerKey).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether this thread is reading.
    var isReading: Bool { unsafe pthread_getspecific(readerKey) != nil }

    /// Whether the caller is inside a read or a write of this environment, where it must not block on a write.
    public var isInsideTransaction: Bool {
        isReading || writer.isCurrent
    }
}
