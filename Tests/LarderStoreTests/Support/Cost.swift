// Cost: what a piece of work costs in lookups, cursor moves, sets and bytes hashed.

#if DEBUG
import LarderEngine
import LarderFormat

/// What a piece of work costs.
struct Cost: Hashable, CustomStringConvertible {
    var lookups = 0
    var moves = 0
    var sets = 0
    /// Bytes that checksums were computed over.
    var hashed = 0

    var description: String { "\(lookups) lookups, \(moves) moves, \(sets) sets, \(hashed) bytes hashed" }

    init(of body: () throws -> Void) rethrows {
        let (accesses, bytes) = (AccessCounts(), HashedBytes())
        try AccessCounts.$current.withValue(accesses) { try HashedBytes.$current.withValue(bytes) { try body() } }
        (lookups, moves, sets) = (accesses[.lookup], accesses[.move], accesses[.set])
        hashed = bytes.count
    }
}
#endif
