internal import LarderEngine
package import LarderFormat
package import LarderJSON

/// The content of a row: the server's, or the result of local writes.
struct RowContent: Hashable, Sendable {
    var payload: [UInt8]
    var codec: PayloadCodec
    var updatedAt: Int64
}

extension RowContent {
    /// A copy of a stored row.
    init(_ row: borrowing Row) {
        self.init(payload: [UInt8](copying: row.payload), codec: row.codec, updatedAt: row.updatedAt)
    }

    /// A verified copy of the row in a record of `overlay`; nil when the record says that there is no row.
    init?(overlay value: RawSpan, key: RawSpan) throws(StoreError) {
        guard let row = try Row(overlay: value, key: key) else { return nil }
        self.init(row)
    }
}

/// A row, nil for no row, or the reason it cannot be known.
typealias KnownRow = Result<RowContent?, FormatError>

extension OverlayRecord {
    /// Returns the row that results when the write is applied to the row beneath. Only a patch depends on that row.
    func applied(to beneath: KnownRow) -> KnownRow {
        switch change {
        case .replacement(let payload, let codec):
            .success(RowContent(payload: payload, codec: codec, updatedAt: updatedAt))
        case .removal: .success(nil)
        case .patch(let patch):
            beneath.flatMap { row in
                guard let merge = JSONMergePatch(patch) else {
                    return .failure(.invalidValue(field: "patch", value: Int64(patch.count)))
                }
                return .success(
                    row.map { row in
                        RowContent(
                            payload: merge.merged(over: row.payload, codec: row.codec), codec: .json,
                            updatedAt: updatedAt)
                    })
            }
        }
    }
}

/// The local writes over one row, the lowest first.
struct OverlayStack: Sendable {
    /// One of the writes, readable or not.
    struct Layer: Sendable {
        let sequence: Int64
        let record: Result<OverlayRecord, FormatError>

        /// Whether its result depends on the row beneath.
        var isPatch: Bool {
            if case .success(let record) = record { record.change.patch != nil } else { false }
        }

        /// Whether it may be confirmed; true for a write that cannot be read.
        var isConfirmed: Bool {
            if case .success(let record) = record { record.acceptance != nil } else { true }
        }
    }

    let key: RowKey
    var layers: [Layer] = []

    /// Returns the row after each of the writes.
    ///
    /// - Parameter server: returns the server's row; called only when the lowest write is a patch.
    func rows(over server: () throws -> KnownRow) rethrows -> [KnownRow] {
        var beneath: KnownRow = try layers.first?.isPatch == true ? server() : .success(nil)
        return layers.map { layer in
            beneath = layer.record.flatMap { $0.applied(to: beneath) }
            return beneath
        }
    }

    /// Returns the row after the highest write, computed from the highest one that is no patch; nil when there are
    /// none.
    func shown(over server: () throws -> KnownRow) rethrows -> KnownRow? {
        let lowest = layers.lastIndex { !$0.isPatch } ?? 0
        return try OverlayStack(key: key, layers: Array(layers[lowest...])).rows(over: server).last
    }

    /// Returns the value to store for the row that readers see.
    func sealed(_ shown: KnownRow, key: [UInt8]) -> [UInt8] {
        Self.sealed(shown, isLowestConfirmed: layers.first?.isConfirmed ?? false, key: key)
    }

    /// Returns the value to store for the row that readers see.
    static func sealed(_ shown: KnownRow, isLowestConfirmed: Bool, key: [UInt8]) -> [UInt8] {
        let (result, row): (OverlayRow.Result, RowContent?) =
            switch shown {
            case .success(let row?): (.row, row)
            case .success(nil): (.none, nil)
            case .failure: (.unknown, nil)
            }
        let payload = row?.payload ?? []
        let body = OverlayRow.encode(
            result, updatedAt: row?.updatedAt ?? 0, isLowestConfirmed: isLowestConfirmed, payload: payload.rawSpan)
        return Record.seal(
            body: body.rawSpan, codec: (row?.codec ?? .opaque).rawValue, key: key.rawSpan, seed: TableName.overlay.seed)
    }
}

extension Tables {
    /// Returns the local writes over a row, the lowest first.
    func stack(at key: RowKey, in source: ReadTransaction) throws -> OverlayStack {
        var stack = OverlayStack(key: key)
        try forEachLayer(at: key, in: source) { layer in
            stack.layers.append(layer)
            return true
        }
        return stack
    }

    /// Calls `body` with the local writes over a row, the lowest first, until it returns false.
    func forEachLayer(at key: RowKey, in source: ReadTransaction, _ body: (OverlayStack.Layer) throws -> Bool) throws {
        let prefix = try Transaction.key { try OverlayKey.appendWrites(over: key, to: &$0) }
        try forEachLayer(prefix: prefix, in: source) { _, layer in try body(layer) }
    }

    /// Returns the local writes over the rows of a resource, one stack for each row.
    func stacks(of resource: ResourceKey, in source: ReadTransaction) throws -> [OverlayStack] {
        let prefix = try Transaction.key { try OverlayKey.appendWrites(over: resource, to: &$0) }
        var found: [OverlayStack] = []
        try forEachLayer(prefix: prefix, in: source) { row, layer in
            if found.last?.key != row { found.append(OverlayStack(key: row)) }
            found[found.count - 1].layers.append(layer)
            return true
        }
        return found
    }

    private func forEachLayer(
        prefix: [UInt8], in source: ReadTransaction, _ body: (RowKey, OverlayStack.Layer) throws -> Bool
    ) throws {
        try forEachRaw(.overlay, prefix: prefix, in: source) { entry in
            // A key that cannot be decoded belongs to no row; `verify` reports it.
            guard case (let row, let sequence?)? = try? OverlayKey.decode(entry.key) else { return true }
            let (key, value) = (entry.key, entry.value)
            let record = Result { () throws(FormatError) in
                let body = try Record.open(
                    value, key: key, seed: TableName.overlay.seed, codec: RecordHeader.tupleCodec)
                return try OverlayRecord(decoding: body)
            }
            return try body(row, OverlayStack.Layer(sequence: sequence, record: record))
        }
    }

    /// Returns a copy of the server's row, or the damage that keeps it from being read.
    func serverRow(at key: RowKey, in source: ReadTransaction) throws -> KnownRow {
        do {
            guard let row = try row(at: key, in: source) else { return .success(nil) }
            return .success(RowContent(row))
        } catch StoreError.damaged(_, let reason) {
            return .failure(reason)
        }
    }

    /// Returns the row after each of the writes of a stack.
    func rows(of stack: OverlayStack, in source: ReadTransaction) throws -> [KnownRow] {
        try stack.rows { try serverRow(at: stack.key, in: source) }
    }

    /// Returns the row after the highest write of a stack; nil when it has none.
    func shown(of stack: OverlayStack, in source: ReadTransaction) throws -> KnownRow? {
        try stack.shown { try serverRow(at: stack.key, in: source) }
    }

    /// Returns the overlays of a stack, with the row after each of them.
    func overlays(_ stack: OverlayStack, in source: ReadTransaction) throws -> [Overlay] {
        let rows = try rows(of: stack, in: source)
        return try zip(stack.layers, rows).map { layer, row in
            let record = try decoding(.overlay) { () throws(FormatError) in try layer.record.get() }
            return Overlay(stack.key, layer.sequence, record, row: try? row.get())
        }
    }
}

extension JSONMergePatch {
    /// Returns a row's payload with the patch applied. A payload that is not marked as JSON counts as an empty object.
    package func merged(over payload: [UInt8], codec: PayloadCodec) -> [UInt8] {
        merged(over: codec == .json ? payload.rawSpan.bytes : Span())
    }
}
