/// A writer of elements in order: the body of a structured record, or a key of any length.
///
/// FORMAT.md, "Elements". The bytewise order of two encodings is the order of their elements.
package struct TupleWriter {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Makes an empty tuple.
    package init() {}

    /// Returns the tuple that `append` writes.
    package static func bytes(_ append: (inout TupleWriter) -> Void) -> [UInt8] {
        var writer = TupleWriter()
        append(&writer)
        return writer.bytes
    }

    /// Appends null.
    package mutating func appendNull() { put(TupleCode.null) }

    /// Appends an integer.
    package mutating func append(integer: Int64) { put(integer: integer) }

    /// Appends a text.
    package mutating func append(text: String) { put(text: text) }

    /// Appends bytes.
    package mutating func append(bytes: [UInt8]) { put(bytes: bytes) }

    /// Appends a truth value.
    package mutating func append(bool: Bool) { put(bool: bool) }

    /// Appends a UUID.
    package mutating func append(uuid: UUIDBytes) { put(uuid: uuid) }

    /// Appends a record key: a decimal where `recordKey` is a canonical decimal, else a text.
    package mutating func append(recordKey: String) { put(recordKey: recordKey) }

    /// Appends the group and the number of a resource.
    package mutating func append(resource: ResourceKey) {
        put(text: resource.group)
        put(integer: resource.id)
    }

    /// Appends the full name of a row.
    mutating func append(row: RowKey) {
        append(resource: row.resource)
        put(text: row.type)
        put(recordKey: row.key)
    }

    /// Appends an element that a reader returned.
    package mutating func append(element: TupleElement) {
        switch element {
        case .null: appendNull()
        case .decimal(let number):
            put(TupleCode.decimal)
            put(integer: number)
        case .text(let text): put(text: text)
        case .bytes(let bytes): put(bytes: bytes)
        case .integer(let integer): put(integer: integer)
        case .bool(let bool): put(bool: bool)
        case .uuid(let uuid): put(uuid: uuid)
        }
    }
}

extension TupleWriter: TupleSink {
    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put(_ bytes: Span<UInt8>) { self.bytes.append(copying: bytes.raw) }
}
