/// Selects number and size of pages that begin at a given place.
package enum PageSelection {
    /// Returns the request for the page that repeats at least one of `place` known items and has the most new ones.
    ///
    /// A page of size *s* begins at a multiple of *s*, so the size is one that does not divide `place`. It is at most
    /// `size`, since a server may return no more.
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

    /// Returns the request for the largest page, up to `size` items, that begins at `place`.
    package static func beginning(_ place: Int, size: Int) -> PageRequest {
        let size = stride(from: max(size, 1), to: 1, by: -1).first { place.isMultiple(of: $0) } ?? 1
        return .offset(index: place / size, size: size)
    }
}
