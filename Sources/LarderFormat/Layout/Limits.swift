/// The largest sizes the format allows, in bytes unless said otherwise.
///
/// FORMAT.md, "Limits", gives the reason of each.
public enum Limits {
    /// An encoded key of any table: LMDB's compile-time limit in every distributed build.
    public static let key = 511
    /// The encoded (group, id, type, key) of a row: leaves room for the longer keys of the reserved tables.
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
    /// The highest number of a secondary index.
    public static let indexNumber: Int64 = 65_535
    /// The encoded bytes of a text in a secondary index, code and terminator not counted; what is longer is cut.
    public static let indexText = 200
    /// The payload of one row.
    public static let payload = 16_777_216
    /// How many journal records are kept.
    public static let journalRecords = 1000

    /// Confirms that a payload of `byteCount` bytes fits, or throws ``FormatError/payloadTooLarge(actual:limit:)``.
    public static func check(payload byteCount: Int) throws(FormatError) {
        guard byteCount <= payload else { throw .payloadTooLarge(actual: byteCount, limit: payload) }
    }

    /// Confirms that `text` fits as an encoded group, or throws ``FormatError/keyTooLong(actual:limit:)``.
    public static func check(group text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: group)
    }

    /// Confirms that `text` fits as an encoded row type, or throws ``FormatError/keyTooLong(actual:limit:)``.
    public static func check(rowType text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: rowType)
    }

    /// Confirms that `text` fits as an encoded lane, or throws ``FormatError/keyTooLong(actual:limit:)``.
    public static func check(lane text: String) throws(FormatError) {
        try check(key: TupleLength.text(text), limit: lane)
    }

    /// Confirms that a canonical filter fits, or throws ``FormatError/textTooLong(actual:limit:)``.
    public static func check(filter text: String) throws(FormatError) {
        guard text.utf8.count <= filter else { throw .textTooLong(actual: text.utf8.count, limit: filter) }
    }

    /// Confirms that a token fits, or throws ``FormatError/textTooLong(actual:limit:)``.
    public static func check(token text: String) throws(FormatError) {
        guard text.utf8.count <= token else { throw .textTooLong(actual: text.utf8.count, limit: token) }
    }

    static func check(key actual: Int, limit: Int) throws(FormatError) {
        guard actual <= limit else { throw .keyTooLong(actual: actual, limit: limit) }
    }
}
