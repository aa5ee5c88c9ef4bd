/// The record `meta` ("salt"): the key under which secrets that select a response are hashed.
///
/// FORMAT.md, "meta".
package struct SaltRecord: Hashable, Sendable {
    /// How many bytes a salt may have.
    package static let sizes = 16...64

    /// Random bytes.
    package var salt: [UInt8]

    /// A record of a salt.
    package init(salt: [UInt8]) { self.salt = salt }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        salt = try reader.bytes()
        guard Self.sizes.contains(salt.count) else {
            throw .invalidValue(field: "salt", value: Int64(salt.count))
        }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(bytes: salt)
        return writer.bytes
    }

    /// The key, ("salt").
    package static var key: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "salt")
        return writer.bytes
    }
}
