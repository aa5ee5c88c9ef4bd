internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The overlays of a resource, by row and then by sequence.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlays(of resource: ResourceKey) throws -> [Overlay] {
        try tables.stacks(of: resource, in: engine).flatMap { try tables.overlays($0, in: engine) }
    }

    /// The overlays of a row, the one that is shown last.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlays(at key: RowKey) throws -> [Overlay] {
        try tables.overlays(try tables.stack(at: key, in: engine), in: engine)
    }

    /// The payload of the row that an overlay was made from, where it is kept; see ``Overlay/basePayload``.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func overlayBase(at key: RowKey, sequence: Int64) throws -> [UInt8]? {
        let stored = try Transaction.overlayKey(key, sequence)
        return try tables.record(stored.rawSpan, .overlay, in: engine, OverlayRecord.init(decoding:))?.basePayload
    }

    /// The server's row at `key`, whatever local writes lie over it; for software that keeps rows in step.
    ///
    /// - Throws: as ``ReadView/row(at:)``.
    @_lifetime(borrow self)
    public borrowing func serverRow(at key: RowKey) throws -> Row? {
        try tables.row(at: key, in: engine)
    }
}

extension ReadView {
    /// What readers see of the rows of one type that local writes lie over.
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

    /// Whether any local write that the server has confirmed may be released some time.
    ///
    /// - Parameter resource: over rows of which resource; nil for any.
    package borrowing func hasConfirmedOverlays(of resource: ResourceKey? = nil) throws -> Bool {
        try tables.hasConfirmedRows(of: resource, in: transaction)
    }

    /// Calls `body` with the server's rows of `range`, whatever local writes lie over them; otherwise as
    /// ``forEachRow(in:reversed:limit:verified:_:)``.
    @discardableResult
    public borrowing func forEachServerRow(
        in range: RowRange, reversed: Bool = false, limit: Int = .max, verified: Bool = true,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try tables.scan(range, in: transaction, reversed: reversed, limit: limit, verified: verified, body)
    }
}
