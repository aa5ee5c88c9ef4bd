internal import LarderFormat
internal import Synchronization

/// The storage budget of one file, and the position of the search for something to evict.
///
/// Shared by all opens of the file in this process, and in memory only. After a restart the hand begins at the start,
/// and the latest uses are known to the hour.
final class StorageBudget: SharedPart {
    /// The content read last; the search continues after it.
    struct ClockHand: Sendable {
        /// The key of a resource.
        var resource: [UInt8] = []
        /// The place of a response.
        var response: ResponseAddress?
        /// The number of a collection.
        var collection: Int64 = -1
    }

    /// Milliseconds since 1970-01-01 UTC.
    let now: @Sendable () -> Int64
    private let position = Mutex(ClockHand())

    init(_ file: FileContext) {
        now = file.host.now
    }

    /// The position of the search; used on the writer thread only.
    var hand: ClockHand {
        get { position.withLock { $0 } }
        set { position.withLock { $0 = newValue } }
    }

    /// The bytes below the cap to which the content is reduced when space is needed: a sixteenth, at most the size of
    /// one bulk batch. Not every commit then has to free space.
    static func slack(_ cap: Int64) -> Int64 { min(cap / 16, Int64(BulkLimits.bytes)) }
}

extension StorageBudget: CommitParticipant {
    func complete(_ transaction: inout Transaction) throws { try transaction.enforceSizeCap() }

    func begin(_ store: Store) { store.shrinkToCap() }
}

extension SharedState {
    /// The storage budget of the file.
    var budget: StorageBudget { part(StorageBudget.self) }
}

extension Transaction {
    /// The storage budget of the file.
    var budget: StorageBudget { shared.budget }
}
