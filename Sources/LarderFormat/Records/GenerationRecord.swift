/// A record of `generations`: who owns a generation, and what is in it.
///
/// FORMAT.md, "generations". Key: (generation).
package struct GenerationRecord: Hashable, Sendable {
    /// What the generation is good for.
    package enum State: Int64, Sendable, CaseIterable {
        /// Being written; never visible.
        case staging = 1
        /// What readers see.
        case live = 2
        /// No longer reachable; its rows are being deleted.
        case garbage = 3
    }

    /// The resource that the generation belongs to.
    package var owner: ResourceKey
    /// What it is good for.
    package var state: State
    /// The rows in it, without the owner row.
    package var rowCount: Int64
    /// The bytes of keys and values of those rows.
    package var byteCount: Int64
    /// The wrapping sum of the checksums of those rows.
    package var digest: UInt64

    /// Makes a record, by default of a generation without rows.
    package init(
        owner: ResourceKey, state: State, rowCount: Int64 = 0, byteCount: Int64 = 0, digest: UInt64 = 0
    ) {
        self.owner = owner
        self.state = state
        self.rowCount = rowCount
        self.byteCount = byteCount
        self.digest = digest
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        owner = try reader.resource()
        state = try reader.state("state", as: State.self)
        rowCount = try reader.count("rowCount")
        byteCount = try reader.count("byteCount")
        digest = UInt64(bitPattern: try reader.integer())
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(resource: owner)
        writer.append(integer: state.rawValue)
        writer.append(integer: rowCount)
        writer.append(integer: byteCount)
        writer.append(integer: Int64(bitPattern: digest))
        return writer.bytes
    }

    /// Appends the key of a generation.
    package static func appendKey(_ generation: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: generation)
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let generation = try reader.integer()
        try reader.end()
        return generation
    }
}
