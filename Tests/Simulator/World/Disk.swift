// Disk: a disk that has no space for a commit now and then, or for a while.

internal import LarderEngine
internal import LarderStore
internal import LarderTesting

/// A disk that has no space for a commit now and then, or for a while.
struct Disk {
    /// Whether any commit of this process has failed.
    var hasFailed = false
    private let isSmall: Bool
    private var random: SeededGenerator
    private var isFullUntil: Int64 = -1
    private var error = EngineError.diskFull

    init(_ scenario: Scenario) {
        random = SeededGenerator(seed: scenario.seed ^ 0x64_69_73_6B)
        isSmall = random.below(4) == 0
    }

    /// The error of a commit at a time in milliseconds of virtual time; `nil` if it succeeds.
    mutating func fault(at now: Int64) -> EngineError? {
        if !isSmall { return nil }
        if now > isFullUntil {
            if random.below(100) > 0 { return nil }
            isFullUntil = now + [0, 3_000, 600_000][random.below(3)]
            error = random.below(2) == 0 ? .diskFull : .mapFull(cap: 0)
        }
        hasFailed = true
        return error
    }
}

extension Simulator {
    /// Has the next commit fail while the disk is full; whether it does.
    func failCommits(of store: Store) -> Bool {
        guard !isQuiet, let fault = disk.fault(at: now) else { return false }
        log("  the disk is full")
        updateWaits { $0.discard() }
        // What could not be discarded is not being written any more.
        checker.reset()
        store.failCommits(with: fault)
        return true
    }

    /// Runs the next commit, and looks at what it has left; false when none waits.
    @discardableResult
    func commitNext() throws -> Bool {
        guard let store, store.hasWrites else { return false }
        _ = failCommits(of: store)
        store.runNextWrite()
        store.failCommits(with: nil)
        try checkStore()
        return true
    }
}
