internal import LarderEngine
internal import LarderFormat

/// The overlay that is shown of a row.
struct ShownOverlay {
    /// The key its row has, or would have, in `rows`.
    var rowKey: [UInt8]
    /// The key of its record.
    var overlayKey: [UInt8]
}

extension Tables {
    /// The overlays of a resource, in key order.
    func overlays<Source: TableReader & ~Copyable>(
        of resource: ResourceKey, in source: borrowing Source
    ) throws -> [Overlay] {
        try overlays(
            prefix: Transaction.key { (key) throws(FormatError) in try key.append(resource: resource) }, in: source)
    }

    /// The overlays of a row, in key order.
    func overlays<Source: TableReader & ~Copyable>(
        at key: RowKey, in source: borrowing Source
    ) throws -> [Overlay] {
        try overlays(
            prefix: Transaction.key { (buffer) throws(FormatError) in try OverlayKey.append(key, to: &buffer) },
            in: source)
    }

    private func overlays<Source: TableReader & ~Copyable>(
        prefix: [UInt8], in source: borrowing Source
    ) throws -> [Overlay] {
        var found: [Overlay] = []
        try forEachRaw(.overlay, prefix: prefix, in: source) { entry in
            let (key, value) = (entry.key, entry.value)
            let overlay = try decoding(.overlay) { () throws(FormatError) in
                let (row, _) = try OverlayKey.decode(key)
                return Overlay(row, try OverlayLayer(key: key, value: value))
            }
            found.append(overlay)
            return true
        }
        return found
    }

    /// The overlays that are shown, one for each row of a resource that has any, in the order of the rows' keys.
    ///
    /// - Parameters:
    ///   - generation: that of the rows, for their keys.
    ///   - start: the first row key to look at.
    ///   - end: the first one beyond.
    func shownOverlays<Source: TableReader & ~Copyable>(
        of resource: ResourceKey, generation: Int64, from start: [UInt8], upTo end: [UInt8],
        in source: borrowing Source
    ) throws -> [ShownOverlay] {
        let prefix = try Transaction.key { (key) throws(FormatError) in try key.append(resource: resource) }
        let rowPrefix = RowKeyCoding.prefix(generation: generation)
        var found: [ShownOverlay] = []
        try forEachRaw(.overlay, prefix: prefix, in: source) { entry in
            let key = entry.key
            let address = try decoding(.overlay) { () throws(FormatError) in try OverlayKey.decodeParts(key).address }
            let rowKey = rowPrefix + [UInt8](copying: key.extracting(address))
            guard rowKey.rawSpan.lexicographicallyPrecedes(end.rawSpan) else { return false }
            if rowKey.rawSpan.lexicographicallyPrecedes(start.rawSpan) { return true }
            // Sequences of one row ascend, and the last is shown.
            if found.last?.rowKey == rowKey { found.removeLast() }
            found.append(ShownOverlay(rowKey: rowKey, overlayKey: [UInt8](copying: key)))
            return true
        }
        return found
    }

    /// The row that an overlay makes, or nil when it makes none; verified.
    ///
    /// A patch is as good as what lies beneath it: where that is damaged, it may be of something that is there no more.
    @_lifetime(borrow source)
    func row<Source: TableReader & ~Copyable>(
        ofOverlay key: [UInt8], in source: borrowing Source
    ) throws -> Row? {
        guard let value = try source.value(forKey: key.rawSpan, in: overlay) else { return nil }
        if Self.isPatch(value) { try checkBeneath(key, in: source) }
        return try Row(overlay: value, key: key.rawSpan)
    }

    private static func isPatch(_ value: RawSpan) -> Bool {
        guard let body = try? Record.openUnverified(value), let row = try? OverlayRow(body: body) else { return false }
        return row.isPatch
    }

    /// Throws when what lies beneath an overlay is damaged.
    private func checkBeneath<Source: TableReader & ~Copyable>(
        _ key: [UInt8], in source: borrowing Source
    ) throws {
        let (row, sequence) = try decoding(.overlay) { () throws(FormatError) in try OverlayKey.decode(key.rawSpan) }
        let stack = try stack(at: row, in: source)
        switch stack.beneath(sequence) {
        case .known: if stack.restsOnServer(sequence) { _ = try self.row(at: row, in: source) == nil }
        case .unknown(let reason): throw StoreError.damaged(table: TableName.overlay.rawValue, reason: reason)
        case nil: _ = try self.row(at: row, in: source) == nil
        }
    }

    /// The key of the overlay that is shown of a row, or nil when it has none.
    func shownOverlay<Source: TableReader & ~Copyable>(
        at key: RowKey, in source: borrowing Source
    ) throws -> [UInt8]? {
        let prefix = try Transaction.key { (buffer) throws(FormatError) in try OverlayKey.append(key, to: &buffer) }
        // Encoded keys never consist of FF alone, so there is always a successor.
        guard let end = successor(ofPrefix: prefix) else { return nil }
        return try source.withReadCursor(in: overlay) { cursor in
            guard let entry = try cursor.seek(before: end.rawSpan), entry.key.starts(with: prefix.rawSpan) else {
                return nil
            }
            return [UInt8](copying: entry.key)
        }
    }
}

extension Tables {
    /// The row that is shown at `key`: the overlay where there is one, else the server's.
    @_lifetime(borrow source)
    func mergedRow<Source: TableReader & ~Copyable>(at key: RowKey, in source: borrowing Source) throws -> Row? {
        try mergedRow(at: key, from: try mergedSource(of: key.resource, in: source), in: source)
    }

    /// As ``mergedRow(at:in:)``, with where the rows lie.
    @_lifetime(borrow source)
    func mergedRow<Source: TableReader & ~Copyable>(
        at key: RowKey, from merged: MergedSource, in source: borrowing Source
    ) throws -> Row? {
        if merged.hasOverlays, let overlay = try shownOverlay(at: key, in: source) {
            return try row(ofOverlay: overlay, in: source)
        }
        guard merged.hasRows else { return nil }
        return try row(at: key, from: merged.rows, in: source)
    }

    /// Calls `body` with the rows that are shown of `range`.
    func mergedScan<Source: TableReader & ~Copyable>(
        _ range: RowRange, from merged: MergedSource, in source: borrowing Source, reversed: Bool, limit: Int,
        verified: Bool, _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        guard merged.hasOverlays else {
            guard merged.hasRows else { return 0 }
            return try scan(
                range, of: merged.rows, in: source, reversed: reversed, limit: limit, verified: verified, body)
        }
        return try range.forEachPart(reversed: reversed, limit: limit) { part, limit in
            try mergedScan(
                part: part, from: merged, in: source, reversed: reversed, limit: limit, verified: verified, body)
        }
    }

    /// As ``mergedScan(_:from:in:reversed:limit:verified:_:)``, for a range that is one part and a resource with
    /// overlays.
    private func mergedScan<Source: TableReader & ~Copyable>(
        part range: RowRange, from merged: MergedSource, in source: borrowing Source, reversed: Bool, limit: Int,
        verified: Bool, _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        let (start, end) = try range.encoded(generation: merged.rows.generation)
        guard start.rawSpan.lexicographicallyPrecedes(end.rawSpan) else { return 0 }
        let overlays = try shownOverlays(
            of: range.resource, generation: merged.rows.generation, from: start, upTo: end, in: source)
        var scan = MergedScan(overlays, isReversed: reversed, limit: limit)
        if merged.hasRows {
            try scanWhile(range, of: merged.rows, in: source, reversed: reversed, verified: verified) { entry in
                while !scan.isDone, let overlay = scan.nextOverlay(before: entry.encodedKey) {
                    try show(overlay, &scan, in: source, body)
                }
                if !scan.isDone, !scan.takesPlace(of: entry.encodedKey) {
                    try body(entry)
                    scan.count += 1
                }
                return !scan.isDone
            }
        }
        while !scan.isDone, let overlay = scan.nextOverlay() { try show(overlay, &scan, in: source, body) }
        return scan.count
    }

    /// Lends the row that an overlay makes, if it makes one.
    private func show<Source: TableReader & ~Copyable>(
        _ overlay: ShownOverlay, _ scan: inout MergedScan, in source: borrowing Source,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws {
        guard let row = try row(ofOverlay: overlay.overlayKey, in: source) else { return }
        try body(RowEntry(encodedKey: overlay.rowKey.rawSpan, row: row))
        scan.count += 1
    }
}

/// The overlays of a range, beside a scan of its rows.
private struct MergedScan {
    private let overlays: [ShownOverlay]
    private let isReversed: Bool
    private let limit: Int
    private var position = 0
    /// The rows shown so far.
    var count = 0

    /// - Parameter overlays: in ascending order.
    init(_ overlays: [ShownOverlay], isReversed: Bool, limit: Int) {
        self.overlays = isReversed ? overlays.reversed() : overlays
        self.isReversed = isReversed
        self.limit = limit
    }

    /// Whether no more rows are wanted.
    var isDone: Bool { count >= limit }

    /// The next overlay.
    mutating func nextOverlay() -> ShownOverlay? {
        guard position < overlays.count else { return nil }
        position += 1
        return overlays[position - 1]
    }

    /// The next overlay, if its row comes before the one at `key`.
    mutating func nextOverlay(before key: RawSpan) -> ShownOverlay? {
        guard position < overlays.count else { return nil }
        let next = overlays[position].rowKey
        let isBefore =
            isReversed ? key.lexicographicallyPrecedes(next.rawSpan) : next.rawSpan.lexicographicallyPrecedes(key)
        return isBefore ? nextOverlay() : nil
    }

    /// Whether the next overlay is of the row at `key`; it is shown later, in the row's place.
    func takesPlace(of key: RawSpan) -> Bool {
        guard position < overlays.count else { return false }
        let next = overlays[position].rowKey
        return next.rawSpan.equals(key)
    }
}
