/// The largest sizes the format allows, in bytes unless said otherwise.
///
/// FORMAT.md, "Limits".
public enum Limits {
    /// An encoded key of any table: LMDB's compile-time limit in every distributed build.
    public static let key = 511
    /// The encoded (group, id, type, key) of a row: it leaves space for the longer keys of the reserved tables.
    public static let rowAddress = 480
    /// The encoded group of a resource.
    public static let group = 128
    /// The encoded type of a row.
    public static let rowType = 128
    /// The encoded lane of the outbox.
    public static let lane = 256
    /// The UTF-8 of a canonical filter.
    public static let filter = 32_768
    /// The UTF-8 of a token.
    public static let token = 65_536
    /// The UTF-8 of a filter's last error.
    public static let errorText = 512
    /// The elements of the runs of a filter; the oldest are removed.
    public static let recordedRuns = 24
    /// The highest number of a secondary index.
    public static let indexNumber: Int64 = 65_535
    /// An encoded text in a secondary index; a longer text is cut.
    public static let indexText = 200
    /// The encoded value, type and key in the key of an index entry: with a resource before them they fit in one key.
    public static let indexAddress = 370
    /// The payload of one row.
    public static let payload = 16_777_216
    /// A payload of a conflict in the journal; of a longer payload only the length is kept.
    public static let conflictContent = 16_384
    /// The payload that an overlay keeps of the row it was made from.
    public static let basePayload = 262_144
    /// The number of journal records that are kept.
    public static let journalRecords = 1000
    /// The payloads, in total, that a rejected entry keeps for a retry.
    public static let withdrawnPayloads = 1_048_576
    /// The UTF-8 of a collection's query.
    public static let query = 32_768
    /// The encoded attribute of a collection.
    public static let attribute = 256
    /// The UTF-8 of an entity tag, and that of a last-modified date.
    public static let validator = 4096
    /// The value of a chunk of a collection.
    public static let collectionChunk = 32_752
    /// The encoded record of the session.
    public static let session = 65_536
    /// A dictionary of compressed rows.
    package static let dictionary = 65_536
    /// The number of servers whose waits are kept.
    public static let serverWaits = 64
    /// The encoded name of a buffer.
    public static let buffer = 128
    /// The encoded account of a buffer: with its name and a sequence it fits in one key.
    public static let bufferAccount = 256
    /// The payload of a point in a buffer; many of them are read together.
    public static let bufferPoint = 65_536

    /// An encoded beginning of a cache key in the keys of `responses`.
    public static let cacheKeyPrefix = 200
    /// A cache key, and a target URI; the longest request line that servers accept is shorter.
    public static let cacheKey = 32_768
    /// An encoded tag: with the beginning of a cache key it fits in one key.
    public static let tag = 256
    /// The encoded record of a response, which excludes its body.
    public static let responseHead = 1_048_576
    /// A chunk of a blob with its record header: LMDB's header of 16 bytes and this fill eight pages.
    public static let chunkValue = 32_752
    /// The bytes of a blob in one chunk.
    package static let chunkBytes = chunkValue - RecordHeader.size

    /// Checks that a payload of `byteCount` bytes fits.
    ///
    /// - Throws: ``FormatError/payloadTooLarge(actual:limit:)`` beyond ``payload``.
    public static func check(payload byteCount: Int) throws(FormatError) {
        guard byteCount <= payload else { throw .payloadTooLarge(actual: byteCount, limit: payload) }
    }

    /// Checks that `text` fits as an encoded group.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``group``.
    public static func check(group text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: group)
    }

    /// Checks that `text` fits as an encoded row type.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``rowType``.
    public static func check(rowType text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: rowType)
    }

    /// Checks that `text` fits as an encoded lane.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``lane``.
    public static func check(lane text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: lane)
    }

    /// Checks that `text` fits as an encoded tag.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``tag``.
    public static func check(tag text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: tag)
    }

    /// Checks that a canonical filter fits.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` beyond ``filter``.
    public static func check(filter text: String) throws(FormatError) {
        guard text.utf8.count <= filter else { throw .textTooLong(actual: text.utf8.count, limit: filter) }
    }

    /// Checks that a token fits.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` beyond ``token``.
    public static func check(token text: String) throws(FormatError) {
        guard text.utf8.count <= token else { throw .textTooLong(actual: text.utf8.count, limit: token) }
    }

    /// Checks that a query fits.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` beyond ``query``.
    public static func check(query text: String) throws(FormatError) {
        guard text.utf8.count <= query else { throw .textTooLong(actual: text.utf8.count, limit: query) }
    }

    /// Checks that an entity tag or a date fits.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` beyond ``validator``.
    public static func check(validator text: String) throws(FormatError) {
        guard text.utf8.count <= validator else { throw .textTooLong(actual: text.utf8.count, limit: validator) }
    }

    /// Checks that `text` fits as an encoded attribute.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``attribute``.
    public static func check(attribute text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: attribute)
    }

    static func check(key actual: Int, limit: Int) throws(FormatError) {
        guard actual <= limit else { throw .keyTooLong(actual: actual, limit: limit) }
    }
}
