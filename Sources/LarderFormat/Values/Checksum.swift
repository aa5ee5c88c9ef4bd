/// The checksum of a record, over its table, owner, key, header and body.
///
/// FORMAT.md, "Checksum". XXH64 detects accidents, such as flipped bits and misplaced pages; it does not protect
/// against forgery.
package enum Checksum {
    /// Returns the seed for the rows of `owner` (h1), except the owner row, which has ``TableName/seed``.
    package static func ownerSeed(_ owner: ResourceKey) -> UInt64 {
        var writer = TupleWriter()
        writer.append(resource: owner)
        return writer.bytes.rawSpan.xxh64(seed: TableName.rows.seed)
    }

    /// Returns the seed for an owner given by its key in `resources`, as ``ownerSeed(_:)-(ResourceKey)``; copies
    /// nothing.
    package static func ownerSeed(_ resourceKey: RawSpan) -> UInt64 { resourceKey.xxh64(seed: TableName.rows.seed) }

    /// Returns the checksum of `body` under `key`.
    ///
    /// - Parameters:
    ///   - body: Everything after the record header.
    ///   - header4: The first four bytes of the header, little-endian.
    ///   - key: The whole key.
    ///   - seed: ``TableName/seed``, or for rows ``ownerSeed(_:)``.
    package static func of(body: RawSpan, header4: UInt32, key: RawSpan, seed: UInt64) -> UInt64 {
        body.xxh64(seed: key.xxh64(seed: seed) ^ UInt64(header4))
    }
}
