/// The checksum of a record, over its table, owner, key, header and body.
///
/// FORMAT.md, "Checksum". XXH64 finds accidents, such as flipped bits and misplaced pages; it is no protection
/// against forgery.
package enum Checksum {
    /// The seed for the rows of `owner` (h1), the owner row excepted, which has ``TableName/seed``.
    package static func ownerSeed(_ owner: ResourceKey) -> UInt64 {
        var writer = TupleWriter()
        writer.append(resource: owner)
        return writer.bytes.rawSpan.xxh64(seed: TableName.rows.seed)
    }

    /// As ``ownerSeed(_:)-(ResourceKey)``, for an owner whose key in `resources` is at hand; nothing is copied.
    package static func ownerSeed(_ resourceKey: RawSpan) -> UInt64 { resourceKey.xxh64(seed: TableName.rows.seed) }

    /// The checksum of `body` under `key`.
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
