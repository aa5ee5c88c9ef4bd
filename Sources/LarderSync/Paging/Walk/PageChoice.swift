/// Finds requests by number and size for pages that begin where they are wanted.
package enum PageChoice {
    /// The request for the page that repeats the fewest of `place` known items, at least one, for the most new ones.
    ///
    /// A page of size *s* begins at a multiple of *s*, so the size is one that does not divide `place`. It is at most `size`,
    /// since a server may answer no more.
    ///
    /// - Returns: nil when every size up to `size` divides `place`.
    /// - Complexity: O(`size`).
    package static func overlapping(_ place: Int, size: Int) -> (request: PageRequest, repeated: Int)? {
        var best: (size: Int, repeated: Int)?
        for candidate in stride(from: size, to: 1, by: -1) {
            let repeated = place % candidate
            guard repeated > 0 else { continue }
            if let best, best.size - best.repeated >= candidate - repeated { continue }
            best = (candidate, repeated)
        }
        return best.map { (.offset(index: place / $0.size, size: $0.size), $0.repeated) }
    }

    /// The request for the page that begins at `place`, of the largest size up to `size` that one has.
    package static func beginning(_ place: Int, size: Int) -> PageRequest {
        let size = stride(from: max(size, 1), to: 1, by: -1).first { place.isMultiple(of: $0) } ?? 1
        return .offset(index: place / size, size: size)
    }
}
