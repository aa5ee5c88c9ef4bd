/// The record `meta` ("format"): what the store is, and what it asks of software.
///
/// FORMAT.md, "meta". Its key, its header and its first five elements never change.
package struct FormatRecord: Hashable, Sendable {
    /// The first element, by which a store is known.
    package static let magic = "larder"

    /// The describing version, first part.
    package var major: Int64
    /// The describing version, second part.
    package var minor: Int64
    /// Software below this format number must not open the store.
    package var minimumReader: Int64
    /// Software below this format number must not write to the store.
    package var minimumWriter: Int64
    /// The identity of the store, drawn when it was made.
    package var storeID: UUIDBytes
    /// The name and version of the software that made it, for people.
    package var createdBy: String
    /// The features in use.
    package var features: FormatFeatures

    /// The record of a new store.
    package init(storeID: UUIDBytes, createdBy: String, features: FormatFeatures = FormatFeatures()) {
        major = FormatVersion.major
        minor = FormatVersion.minor
        minimumReader = FormatVersion.minimumReader
        minimumWriter = FormatVersion.minimumWriter
        self.storeID = storeID
        self.createdBy = createdBy
        self.features = features
    }

    /// Reads a body. Throws ``FormatError/notAStore`` on another first word, and
    /// ``FormatError/newerFormat(minimumReader:)`` or ``FormatError/olderFormat(minimumReader:)`` before it looks at
    /// anything that another format may have otherwise.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        guard try reader.text().equalsBytewise(Self.magic) else { throw .notAStore }
        major = try reader.integer()
        minor = try reader.integer()
        minimumReader = try reader.integer()
        minimumWriter = try reader.integer()
        try Self.check(minimumReader: minimumReader)
        storeID = try reader.uuid()
        createdBy = try reader.text()
        let incompatible = UInt64(bitPattern: try reader.integer())
        let readOnlyCompatible = UInt64(bitPattern: try reader.integer())
        let compatible = UInt64(bitPattern: try reader.integer())
        features = FormatFeatures(
            incompatible: incompatible, readOnlyCompatible: readOnlyCompatible, compatible: compatible)
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: Self.magic)
        writer.append(integer: major)
        writer.append(integer: minor)
        writer.append(integer: minimumReader)
        writer.append(integer: minimumWriter)
        writer.append(uuid: storeID)
        writer.append(text: createdBy)
        writer.append(integer: Int64(bitPattern: features.incompatible))
        writer.append(integer: Int64(bitPattern: features.readOnlyCompatible))
        writer.append(integer: Int64(bitPattern: features.compatible))
        return writer.bytes
    }

    /// What this software may do with the store.
    ///
    /// - Throws: ``FormatError/newerFormat(minimumReader:)``, ``FormatError/olderFormat(minimumReader:)`` or
    ///   ``FormatError/unknownFeatures(_:)`` when it must not even read.
    package func access() throws(FormatError) -> FormatAccess {
        try Self.check(minimumReader: minimumReader)
        let unknown = features.incompatible & ~FormatFeatures.known.incompatible
        guard unknown == 0 else { throw .unknownFeatures(unknown) }
        let unkept = features.readOnlyCompatible & ~FormatFeatures.known.readOnlyCompatible
        return minimumWriter <= FormatVersion.current && unkept == 0 ? .readWrite : .readOnly
    }

    private static func check(minimumReader: Int64) throws(FormatError) {
        guard minimumReader <= FormatVersion.current else { throw .newerFormat(minimumReader: minimumReader) }
        guard minimumReader >= FormatVersion.oldest else { throw .olderFormat(minimumReader: minimumReader) }
    }

    /// The key, ("format").
    package static var key: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "format")
        return writer.bytes
    }
}
