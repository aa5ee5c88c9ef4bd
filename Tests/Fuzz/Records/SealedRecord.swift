import LarderFormat

/// Headers, checksums and the bodies that are no tuples.
enum SealedRecord {
    /// Checks values of any bytes, then a value that is sealed, whole and with one changed bit.
    static func check(_ input: inout FuzzedBytes) {
        let (table, codec) = (TableName.allCases[input.number(below: TableName.allCases.count)], input.byte())
        let (bit, key, content) = (Int(input.integer() & 0xFFFF), input.bytes(), input.remainder())
        checkAny(content, key: key, table: table)
        checkOverlay(content)
        guard codec <= RecordHeader.tupleCodec || codec >= 16 else { return }
        var value = Record.seal(body: content.rawSpan, codec: codec, key: key.rawSpan, seed: table.seed)
        require(isOpened(value, key, table, as: content), "a sealed value is not opened")
        value[bit / 8 % value.count] ^= 1 << UInt8(bit % 8)
        require(!isOpened(value, key, table, as: content), "a value with a changed bit is opened")
    }

    private static func isOpened(_ value: [UInt8], _ key: [UInt8], _ table: TableName, as content: [UInt8]) -> Bool {
        do throws(FormatError) {
            let body = try Record.open(value.rawSpan, key: key.rawSpan, seed: table.seed)
            require(body.equals(content.rawSpan), "a value is opened as other bytes")
            return true
        } catch {
            return false
        }
    }

    private static func checkAny(_ value: [UInt8], key: [UInt8], table: TableName) {
        let header = try? RecordHeader(decoding: value.rawSpan)
        do throws(FormatError) {
            let body = try Record.openUnverified(value.rawSpan)
            require(header != nil && body.byteCount == value.count - RecordHeader.size, "a body has another length")
            if let row = try? RowBody(body: body) { require(row.payload.byteCount == body.byteCount - 8, "a row") }
        } catch {
            require(header == nil, "a value with a header is not opened: \(error)")
        }
        _ = isOpened(value, key, table, as: Array(value.dropFirst(RecordHeader.size)))
    }

    private static func checkOverlay(_ body: [UInt8]) {
        do throws(FormatError) {
            let row = try OverlayRow(body: body.rawSpan)
            let written = OverlayRow.encode(
                row.result, updatedAt: row.updatedAt, isLowestConfirmed: row.isLowestConfirmed, payload: row.payload)
            require(written == body, "an overlay row is written as \(written)")
        } catch {}
    }
}

/// The chunks of a collection.
enum ChunkOfRows {
    private static let main = ResourceKey("verses", 1)

    static func check(_ body: [UInt8]) {
        let decode = { (body: [UInt8]) in
            try? CollectionChunk(decoding: body.rawSpan, mainResource: main, type: "verse")
        }
        guard let chunk = decode(body) else { return }
        let written = chunk.encode(mainResource: main, type: "verse")
        require(decode(written) == chunk, "a chunk is read again as another one")
        var rows: [RowKey] = []
        for part in CollectionChunk.split(chunk.rows, mainResource: main, type: "verse") {
            let body = part.encode(mainResource: main, type: "verse")
            require(body.count + RecordHeader.size <= Limits.collectionChunk || part.rows.count == 1, "a long chunk")
            rows += part.rows
        }
        require(rows == chunk.rows, "the parts of a list have other rows")
    }
}
