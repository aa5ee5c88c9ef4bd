/// A record of `members`: a filter contains a resource.
///
/// FORMAT.md, "members". Key: (filter number, group, id).
package struct MemberRecord: TupleRecord, Hashable, Sendable {
    /// The last run of the filter that listed the resource.
    package var listedInRun: Int64 = 0
    /// The run in which the snapshot of the resource was stored; a resumed bootstrap skips the resource.
    package var finishedInRun: Int64?

    package init() {}

    /// Makes a record.
    package init(listedInRun: Int64, finishedInRun: Int64? = nil) {
        self.listedInRun = listedInRun
        self.finishedInRun = finishedInRun
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("listedInRun", &listedInRun)
        coder.count("finishedInRun", &finishedInRun)
    }

    /// Appends the key of a member.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func appendKey(
        filter: Int64, resource: ResourceKey, to buffer: inout KeyBuffer
    ) throws(FormatError) {
        try buffer.append(integer: filter)
        try buffer.append(resource: resource)
    }

    /// Returns the prefix of the keys of all members of a filter.
    package static func prefix(filter: Int64) -> [UInt8] {
        TupleWriter.bytes { $0.append(integer: filter) }
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package static func decodeKey(
        _ key: RawSpan
    ) throws(FormatError) -> (filter: Int64, resource: ResourceKey) {
        var reader = TupleReader(key)
        let filter = try reader.integer()
        let resource = try reader.resource()
        try reader.checkEnd()
        return (filter, resource)
    }
}
