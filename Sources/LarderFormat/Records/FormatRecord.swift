/// The record `meta` ("format"): what the store is, and what it asks of software.
///
/// FORMAT.md, "meta". Its key, its header and its first five elements never change.
package struct FormatRecord: TupleRecord, Hashable, Sendable {
    /// The first element, by which a store is known.
    package static let magic = "larder"

    /// The describing version, first part.
    package var major = FormatVersion.major
    /// The describing version, second part.
    package var minor = FormatVersion.minor
    /// Software below this format number must not open the store.
    package var minimumReader = FormatVersion.minimumReader
    /// Software below this format number must not write to the store.
    package var minimumWriter = FormatVersion.minimumWriter
    /// The identity of the store, drawn when it was made.
    package var storeID = UUIDBytes.zero
    /// The name and version of the software that made it, for people.
    package var createdBy = ""
    /// The features in use.
    package var features = FormatFeatures()

    package init() {}

    /// The record of a new store.
    package init(storeID: UUIDBytes, createdBy: String, features: FormatFeatures = FormatFeatures()) {
        self.storeID = storeID
        self.createdBy = createdBy
        self.features = features
    }

    /// Reading fails with ``FormatError/notAStore`` on another first word, and with
    /// ``FormatError/newerFormat(minimumReader:)`` or ``FormatError/olderFormat(minimumReader:)`` before it looks at
    /// anything that another format may have otherwise.
    package mutating func codeFields(_ coder: inout FieldCoder) {
        var magic = Self.magic
        coder.text(&magic)
        if !magic.equalsBytewise(Self.magic) { coder.fail(.notAStore) }
        coder.integer(&major)
        coder.integer(&minor)
        coder.integer(&minimumReader)
        coder.integer(&minimumWriter)
        do throws(FormatError) { try Self.check(minimumReader: minimumReader) } catch { coder.fail(error) }
        coder.uuid(&storeID)
        coder.text(&createdBy)
        coder.bits(&features.incompatible)
        coder.bits(&features.readOnlyCompatible)
        coder.bits(&features.compatible)
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
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "format") } }
}
