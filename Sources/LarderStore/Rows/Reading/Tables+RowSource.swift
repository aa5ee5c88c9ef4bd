internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// The place of the server's visible rows of `resource`; nil when it has none. Nothing is allocated.
    func rowSource(of resource: ResourceKey, in source: ReadTransaction) throws -> RowSource? {
        let merged = try mergedSource(of: resource, in: source)
        return merged.hasRows ? merged.rows : nil
    }

    /// The place of the visible rows of `resource`, and whether it has overlays. Nothing is allocated.
    func mergedSource(of resource: ResourceKey, in source: ReadTransaction) throws -> ShownSource {
        let key = try KeyBuffer { try ResourceRecord.appendKey(resource, to: &$0) }
        var found = ShownSource(
            rows: RowSource(owner: resource, generation: 0, seed: Checksum.ownerSeed(key.bytes)), hasRows: false,
            hasOverlays: false)
        guard let value = try source.value(forKey: key.bytes, in: resources) else {
            try checkAbsence(of: key.bytes, .resources, in: source)
            return found
        }
        let body = try Self.body(of: value, key: key.bytes, table: .resources)
        let (visible, hasOverlays) = try decoding(.resources) { () throws(FormatError) in
            try ResourceRecord.visibility(decoding: body)
        }
        found.hasOverlays = hasOverlays
        if let visible {
            found.hasRows = true
            found.rows = RowSource(owner: resource, generation: visible, seed: found.rows.seed)
        }
        return found
    }

    /// The server's row at `key`, verified.
    @_lifetime(copy source)
    func row(at key: RowKey, in source: ReadTransaction) throws -> Row? {
        guard let rowSource = try rowSource(of: key.resource, in: source) else { return nil }
        return try row(at: key, from: rowSource, in: source)
    }

    /// The row at `key` among those of `rowSource`, verified.
    @_lifetime(copy source)
    func row(at key: RowKey, from rowSource: RowSource, in source: ReadTransaction) throws -> Row? {
        var buffer = KeyBuffer()
        try rowSource.appendKey(type: key.type, key: key.key, to: &buffer)
        guard let value = try source.value(forKey: buffer.bytes, in: rows) else {
            try checkAbsence(of: buffer.bytes, .rows, rowSource, in: source)
            return nil
        }
        return try Row(opening: value, key: buffer.bytes, seed: rowSource.seed)
    }
}
