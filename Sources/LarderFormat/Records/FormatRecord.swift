/// The record `meta` ("format"): the identity of the store, and its requirements on software.
///
/// FORMAT.md, "meta". Its key, its header and its first five elements never change.
package struct FormatRecord: TupleRecord, Hashable, Sendable {
    /// The first element, which identifies a store.
    package static let magic = "larder"

    /// The describing version, first part.
    package var major = FormatVersion.major
    /// The describing version, second part.
    package var minor = FormatVersion.minor
    /// Software below this format number must not open the store.
    package var minimumReader = FormatVersion.minimumReader
    /// Software below this format number must not write to the store.
    package var minimumWriter = FormatVersion.minimumWriter
    /// The identity of the store, drawn when it was created.
    package var storeID = UUIDBytes.zero
    /// The name and version of the software that created the store; informative only.
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

    /// Codes the fields. Reading fails with ``FormatError/notAStore`` for another first word. It fails with
    /// ``FormatError/newerFormat(minimumReader:)`` or ``FormatError/olderFormat(minimumReader:)`` before it reads an
    /// element that may differ in another format.
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

    /// Returns the access that this software has to the store.
    ///
    /// - Throws: ``FormatError/newerFormat(minimumReader:)``, ``FormatError/olderFormat(minimumReader:)`` or
    ///   ``FormatError/unknownFeatures(_:)`` when this software must not even read the store.
    package func access() throws(FormatError) -> FormatAccess {
        try Self.check(minimumReader: minimumReader)
        let unknown = features.incompatible & ~FormatFeatures.known.incompatible
        guard unknown == 0 else { throw .unknownFeatures(unknown) }
        let unsupported = features.readOnlyCompatible & ~FormatFeatures.known.readOnlyCompatible
        return minimumWriter <= FormatVersion.current && unsupported == 0 ? .readWrite : .readOnly
    }

    private static func check(minimumReader: Int64) throws(FormatError) {
        guard minimumReader <= FormatVersion.current else { throw .newerFormat(minimumReader: minimumReader) }
        guard minimumReader >= FormatVersion.oldest else { throw .olderFormat(minimumReader: minimumReader) }
    }

    /// The key, ("format").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "format") } }
}
