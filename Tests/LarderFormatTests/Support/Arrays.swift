// Arrays: the functions under test on arrays, since a span cannot pass through the macros of the test library.

@testable import LarderFormat

// The functions under test on arrays: a span cannot pass through the macros of the test library.

func xxh64(_ bytes: [UInt8], seed: UInt64) -> UInt64 { bytes.rawSpan.xxh64(seed: seed) }

func littleEndian64(_ bytes: [UInt8]) -> UInt64? { bytes.rawSpan.littleEndian(at: 0, as: UInt64.self) }

func open(_ value: [UInt8], key: [UInt8], seed: UInt64, codec: UInt8? = nil) throws(FormatError) -> [UInt8] {
    let body = try Record.open(value.rawSpan, key: key.rawSpan, seed: seed, codec: codec)
    return [UInt8](copying: body)
}

func openUnverified(_ value: [UInt8]) throws(FormatError) -> [UInt8] {
    [UInt8](copying: try Record.openUnverified(value.rawSpan))
}

func seal(body: [UInt8], key: [UInt8], seed: UInt64) -> [UInt8] {
    Record.seal(body: body.rawSpan, key: key.rawSpan, seed: seed)
}

func header(_ value: [UInt8]) throws(FormatError) -> RecordHeader { try RecordHeader(decoding: value.rawSpan) }

func row(_ body: [UInt8]) throws(FormatError) -> (updatedAt: Int64, payload: [UInt8]) {
    let row = try RowBody(body: body.rawSpan)
    return (row.updatedAt, [UInt8](copying: row.payload))
}

func rowKey(_ key: [UInt8]) throws(FormatError) -> (generation: Int64, row: (type: String, key: String)?) {
    try RowKeyCoding.decode(key.rawSpan)
}

func element(_ bytes: [UInt8]) throws(FormatError) -> TupleElement {
    var reader = TupleReader(bytes.rawSpan)
    return try reader.element()
}

func recordKey(_ bytes: [UInt8]) throws(FormatError) -> String {
    var reader = TupleReader(bytes.rawSpan)
    return try reader.recordKey()
}

func encode(recordKey: String) -> [UInt8] {
    var writer = TupleWriter()
    writer.append(recordKey: recordKey)
    return writer.bytes
}
