/// The record `meta` ("salt"): the key under which secrets that select a response are hashed.
///
/// FORMAT.md, "meta".
package struct SaltRecord: TupleRecord, Hashable, Sendable {
    /// The allowed lengths of a salt, in bytes.
    package static let sizes = 16...64

    /// Random bytes.
    package var salt: [UInt8] = []

    package init() {}

    /// Creates the record of a salt.
    package init(salt: [UInt8]) { self.salt = salt }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.bytes(&salt)
        coder.require(Self.sizes.contains(salt.count), "salt", Int64(salt.count))
    }

    /// The key, ("salt").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "salt") } }
}
