/// The gap between the last item of one page and the first of the next, of which neither page shows anything.
///
/// Rows in it may be gone from the server, or be where the list moved between the two answers: a deletion in front makes a
/// live item fall through. One answer that spans it tells which.
struct Seam: Hashable {
    /// The last key before it.
    let after: String
    /// The first key behind it; nil when the next page was empty.
    let before: String?
    /// Whether the list ended with the page behind it.
    let endsList: Bool
}

/// Finds the page that shows both sides of a seam at one moment.
package enum Bridge {
    /// A request whose page holds the places `place` - 1 and `place`, as near to its middle as can be.
    ///
    /// A page of size *s* does so unless *s* divides `place`. The size is at most that of the walk, since a server may
    /// answer no more, unless all of those divide `place`: then it is the least above that does not.
    ///
    /// - Parameters:
    ///   - place: a multiple of `size`, 1 and above.
    ///   - size: the page size of the walk.
    /// - Complexity: O(`size`).
    package static func request(over place: Int, size: Int) -> PageRequest {
        var best = 0
        var margin = 0
        for candidate in stride(from: size, to: 1, by: -1) {
            let rest = place % candidate
            let least = min(rest, candidate - rest)
            if least > margin { (best, margin) = (candidate, least) }
        }
        if margin == 0 {
            best = max(size, 1) + 1
            // Ends: place + 1 does not divide place.
            while place % best == 0 { best += 1 }
        }
        return .offset(index: place / best, size: best)
    }
}
