internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the overlays of a resource, by row and then by sequence.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlays(of resource: ResourceKey) throws -> [Overlay] {
        try tables.stacks(of: resource, in: engine).flatMap { try tables.overlays($0, in: engine) }
    }

    /// Returns the overlays of a row by sequence; the last one is shown.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlays(at key: RowKey) throws -> [Overlay] {
        try tables.overlays(try tables.stack(at: key, in: engine), in: engine)
    }

    /// Returns the payload of the row that an overlay was made from, where it is stored; see ``Overlay/basePayload``.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlayBase(at key: RowKey, sequence: Int64) throws -> [UInt8]? {
        let stored = try Transaction.overlayKey(key, sequence)
        return try tables.record(stored.rawSpan, .overlay, in: engine, OverlayRecord.init(decoding:))?.basePayload
    }

    /// Returns the server's row at `key`, without local writes; for software that syncs rows.
    ///
    /// - Throws: as ``ReadView/row(at:)``.
    @_lifetime(borrow self)
    public borrowing func serverRow(at key: RowKey) throws -> Row? {
        try tables.row(at: key, in: engine)
    }
}

extension ReadView {
    /// Returns the rows of one type that have overlays, as readers see them.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    package borrowing func overlaidRows(of resource: ResourceKey, type: String) throws -> [OverlaidRow] {
        var found: [OverlaidRow] = []
        try tables.forEachOverlaidRow(in: .type(type, of: resource), in: transaction) { address, entry in
            let name = try decoding(.overlay) { () throws(FormatError) in try IndexEntryKey.decodeAddress(address) }
            let key = RowKey(resource: resource, type: name.type, key: name.key)
            let row = try RowContent(overlay: entry.value, key: entry.key)
            found.append(OverlaidRow(key: key, payload: row?.payload, codec: row?.codec ?? .opaque))
        }
        return found
    }

    /// Returns whether any row has a confirmed overlay, which may be released later.
    ///
    /// - Parameter resource: the resource of the rows; nil for any.
    /// - Throws: ``StoreError/invalid(_:)`` for a resource beyond the format's limits; ``EngineError``.
    package borrowing func hasConfirmedOverlays(of resource: ResourceKey? = nil) throws -> Bool {
        try tables.hasConfirmedRows(of: resource, in: transaction)
    }

    /// Calls `body` with the server's rows of `range`, without local writes; otherwise as
    /// ``forEachRow(in:reversed:limit:verified:_:)``.
    ///
    /// - Throws: as ``forEachRow(in:reversed:limit:verified:_:)``.
    @discardableResult
    public borrowing func forEachServerRow(
        in range: RowRange, reversed: Bool = false, limit: Int = .max, verified: Bool = true,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try tables.scan(range, in: transaction, reversed: reversed, limit: limit, verified: verified, body)
    }
}
