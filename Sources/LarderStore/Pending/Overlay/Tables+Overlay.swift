internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// Returns whether no overlay of a row has this key or a higher one.
    func isAboveAll(_ key: [UInt8], _ row: RowKey, in source: ReadTransaction) throws -> Bool {
        let prefix = try Transaction.key { try OverlayKey.appendWrites(over: row, to: &$0) }
        var isAbove = true
        try forEachRaw(.overlay, prefix: prefix, from: key, in: source) { _ in
            isAbove = false
            return false
        }
        return isAbove
    }

    /// Returns a copy of the row stored for readers, and whether its lowest overlay is confirmed; nil when nothing is
    /// stored.
    func shownRow(_ key: [UInt8], in source: ReadTransaction) throws -> (row: KnownRow, isLowestConfirmed: Bool)? {
        guard let value = try source.value(forKey: key.rawSpan, in: overlay) else { return nil }
        let row = Result { () throws(StoreError) in try RowContent(overlay: value, key: key.rawSpan) }
        let known = row.mapError { error in
            guard case .damaged(_, let reason) = error else {
                preconditionFailure("unreachable, because a record that lies there is whole or damaged")
            }
            return reason
        }
        return (known, Self.isLowestConfirmed(value) ?? false)
    }
}

/// A page of rows with overlays.
struct OverlaidRowPage: Sendable {
    /// The rows whose lowest overlay is confirmed, so that some may be released.
    var confirmed: [RowKey] = []
    /// The number of rows in the page, confirmed or not.
    var checkedCount = 0
    /// The key of the next row, when there are more.
    var next: [UInt8]?
}

extension Tables {
    /// Returns the rows with overlays, in the order of their keys.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the keys of the rows that readers see.
    ///   - start: the first key to check.
    ///   - limit: the most rows.
    func overlaidRows(
        _ prefix: [UInt8], from start: [UInt8], limit: Int, in source: ReadTransaction
    ) throws -> OverlaidRowPage {
        var found = OverlaidRowPage()
        try forEachRaw(.overlay, prefix: prefix, from: start, in: source) { entry in
            guard let (row, _) = try? OverlayKey.decode(entry.key) else { return true }
            if found.checkedCount == limit {
                found.next = [UInt8](copying: entry.key)
                return false
            }
            found.checkedCount += 1
            // The record is verified when it is released. One that cannot be read may be confirmed.
            if Self.isLowestConfirmed(entry.value) ?? true { found.confirmed.append(row) }
            return true
        }
        return found
    }

    private static func isLowestConfirmed(_ value: RawSpan) -> Bool? {
        guard let body = try? Record.openUnverified(value), let row = try? OverlayRow(body: body) else { return nil }
        return row.isLowestConfirmed
    }

    /// Returns whether the lowest overlay of any row is confirmed, or may be because its row's record cannot be read.
    ///
    /// - Parameter resource: nil for any resource.
    func hasConfirmedRows(of resource: ResourceKey? = nil, in source: ReadTransaction) throws -> Bool {
        let prefix = try resource.map { resource in
            try Transaction.key { try $0.append(resource: resource) }
        }
        var isAny = false
        try forEachRaw(.overlay, prefix: prefix ?? OverlayKey.resultPrefix, in: source) { entry in
            isAny = Self.isLowestConfirmed(entry.value) ?? true
            return !isAny
        }
        return isAny
    }
}
