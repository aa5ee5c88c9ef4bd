/// The bytes of a record, copied out of a table or to be stored in one.
package struct RawRecord: Hashable, Sendable {
    /// The encoded key, 1 to 511 bytes.
    package var key: [UInt8]
    /// Header and body.
    package var value: [UInt8]

    /// A record of the given bytes.
    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
