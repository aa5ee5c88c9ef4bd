internal import LarderFormat
internal import Synchronization

/// The room that the content of one file may take, and where the search for something to evict stands.
///
/// Shared by all opens of the file in this process, and in memory only: after a restart the hand begins anew, and what
/// was used lately is known to the hour.
final class Room: SharedPart {
    /// What was looked at last: the search goes on behind it.
    struct Hand: Sendable {
        /// The key of a resource.
        var resource: [UInt8] = []
        /// Where a response stands.
        var response: ResponsePlace?
        /// The number of a collection.
        var collection: Int64 = -1
    }

    /// Milliseconds since 1970-01-01 UTC.
    let now: @Sendable () -> Int64
    private let position = Mutex(Hand())

    init(_ file: OpenFile) {
        now = file.host.now
    }

    /// Where the search stands; on the writer thread only.
    var hand: Hand {
        get { position.withLock { $0 } }
        set { position.withLock { $0 = newValue } }
    }

    /// How far below the cap the content is brought when room has to be made, so that not every commit has to: a
    /// sixteenth, at most what one batch of bulk work writes.
    static func slack(_ cap: Int64) -> Int64 { min(cap / 16, Int64(BulkLimits.bytes)) }
}

extension Room: CommitStage {
    func complete(_ transaction: inout Transaction) throws { try transaction.makeRoom() }

    func begin(_ store: Store) { store.fitToCap() }
}

extension SharedState {
    /// The room of the file.
    var room: Room { part(Room.self) }
}

extension Transaction {
    /// The room of the file.
    var room: Room { shared.room }
}
