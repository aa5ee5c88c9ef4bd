internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// The overlays of a row, the lowest first, up to the first that is damaged.
    func stack<Source: TableReader & ~Copyable>(
        at key: RowKey, in source: borrowing Source
    ) throws -> OverlayStack {
        let prefix = try Transaction.key { (buffer) throws(FormatError) in try OverlayKey.append(key, to: &buffer) }
        return try stacks(prefix: prefix, in: source).first ?? OverlayStack(key: key, layers: [])
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
            guard let (row, _) = try? OverlayKey.decode(entry.key) else { return true }
            if found.last?.key != row { found.append(OverlayStack(key: row, layers: [])) }
            let place = found.count - 1
            guard found[place].isWhole else { return true }
            if let layer = try? OverlayLayer(key: entry.key, value: entry.value) {
                found[place].layers.append(layer)
            } else {
                found[place].isWhole = false
            }
            return true
        }
        return found
    }

    /// The rows whose lowest overlay is confirmed: those that may have something to release.
    ///
    /// - Parameter resource: nil for those of all resources.
    func confirmedRows<Source: TableReader & ~Copyable>(
        of resource: ResourceKey? = nil, in source: borrowing Source
    ) throws -> [RowKey] {
        let prefix = try resource.map { resource in
            try Transaction.key { (key) throws(FormatError) in try key.append(resource: resource) }
        }
        var found: [RowKey] = []
        var last: RowKey?
        try forEachRaw(.overlay, prefix: prefix ?? [], in: source) { entry in
            guard let (row, _) = try? OverlayKey.decode(entry.key), row != last else { return true }
            last = row
            // Verified when it is released.
            guard let body = try? Record.openUnverified(entry.value), let overlay = try? OverlayBody(body: body) else {
                return true
            }
            if overlay.record.state == .confirmed { found.append(row) }
            return true
        }
        return found
    }
}
