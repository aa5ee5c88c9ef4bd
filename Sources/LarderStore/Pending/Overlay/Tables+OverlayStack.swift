internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// The overlays of a row, the lowest first.
    func stack<Source: TableReader & ~Copyable>(
        at key: RowKey, in source: borrowing Source
    ) throws -> OverlayStack {
        let prefix = try Transaction.key { (buffer) throws(FormatError) in try OverlayKey.append(key, to: &buffer) }
        return try stacks(prefix: prefix, in: source).first ?? OverlayStack(key: key)
    }

    /// The overlays of a resource, by row.
    func stacks<Source: TableReader & ~Copyable>(
        of resource: ResourceKey, in source: borrowing Source
    ) throws -> [OverlayStack] {
        try stacks(
            prefix: Transaction.key { (key) throws(FormatError) in try key.append(resource: resource) }, in: source)
    }

    private func stacks<Source: TableReader & ~Copyable>(
        prefix: [UInt8], in source: borrowing Source
    ) throws -> [OverlayStack] {
        var found: [OverlayStack] = []
        try forEachRaw(.overlay, prefix: prefix, in: source) { entry in
            // A key that is none is a finding, and belongs to no row.
            guard let (row, sequence) = try? OverlayKey.decode(entry.key) else { return true }
            if found.last?.key != row { found.append(OverlayStack(key: row)) }
            found[found.count - 1].places.append(OverlayPlace(sequence, key: entry.key, value: entry.value))
            return true
        }
        return found
    }
}

/// Rows that something lies over.
struct OverlaidRows: Sendable {
    /// Those whose lowest overlay is confirmed: they may have something to release.
    var confirmed: [RowKey] = []
    /// How many there are of all kinds.
    var looked = 0
    /// The key of the next one, when there are more.
    var next: [UInt8]?
}

extension Tables {
    /// The rows that something lies over, in the order of their keys.
    ///
    /// - Parameters:
    ///   - prefix: what the keys of their overlays begin with.
    ///   - start: the first key to look at.
    ///   - most: the most rows.
    func overlaidRows<Source: TableReader & ~Copyable>(
        _ prefix: [UInt8], from start: [UInt8], most: Int, in source: borrowing Source
    ) throws -> OverlaidRows {
        var found = OverlaidRows()
        var last: RowKey?
        try forEachRaw(.overlay, prefix: prefix, from: start, in: source) { entry in
            guard let (row, _) = try? OverlayKey.decode(entry.key), row != last else { return true }
            if found.looked == most {
                found.next = [UInt8](copying: entry.key)
                return false
            }
            last = row
            found.looked += 1
            // Verified when it is released.
            if let body = try? Record.openUnverified(entry.value), let overlay = try? OverlayBody(body: body),
                overlay.record.state == .confirmed
            {
                found.confirmed.append(row)
            }
            return true
        }
        return found
    }

    /// Whether the lowest overlay of any row is confirmed.
    ///
    /// - Parameter resource: nil for any resource.
    func hasConfirmedRows<Source: TableReader & ~Copyable>(
        of resource: ResourceKey? = nil, in source: borrowing Source
    ) throws -> Bool {
        let prefix = try resource.map { resource in
            try Transaction.key { (key) throws(FormatError) in try key.append(resource: resource) }
        }
        var start = prefix ?? []
        while true {
            let page = try overlaidRows(prefix ?? [], from: start, most: 64, in: source)
            if !page.confirmed.isEmpty { return true }
            guard let next = page.next else { return false }
            start = next
        }
    }
}
