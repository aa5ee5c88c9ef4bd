/// The name of a collection: its class and its query, and the reference it was fetched through, if any.
///
/// Names are compared and hashed by their bytes. FORMAT.md, "collections".
public struct CollectionName: Hashable, Sendable {
    /// A reference from one row to others.
    public struct Reference: Hashable, Sendable {
        /// The row that refers.
        public var row: RowKey
        /// The attribute that refers; its encoding is at most ``Limits/attribute`` bytes.
        public var attribute: String

        /// A reference from `row` by `attribute`.
        public init(row: RowKey, attribute: String) {
            self.row = row
            self.attribute = attribute
        }

        /// Whether both name the same bytes.
        public static func == (left: Reference, right: Reference) -> Bool {
            left.row == right.row && left.attribute.equalsBytewise(right.attribute)
        }

        /// Feeds the row, then the bytes of the attribute, to `hasher`.
        public func hash(into hasher: inout Hasher) {
            row.hash(into: &hasher)
            attribute.hashBytewise(into: &hasher)
        }
    }

    /// The class that was queried, and the type of the rows; its encoding is at most ``Limits/rowType`` bytes.
    public var className: String
    /// The query as the app spelled it, at most ``Limits/query`` bytes; an empty query selects all.
    public var query: String
    /// The reference that was followed; nil for a query of the class itself.
    public var reference: Reference?

    /// Names a collection. Each use checks the limits.
    public init(class className: String, query: String = "", reference: Reference? = nil) {
        self.className = className
        self.query = query
        self.reference = reference
    }

    /// Whether both name the same bytes.
    public static func == (left: CollectionName, right: CollectionName) -> Bool {
        left.className.equalsBytewise(right.className) && left.query.equalsBytewise(right.query)
            && left.reference == right.reference
    }

    /// Feeds every part, bytewise, to `hasher`.
    public func hash(into hasher: inout Hasher) {
        className.hashBytewise(into: &hasher)
        query.hashBytewise(into: &hasher)
        hasher.combine(reference)
    }
}

extension CollectionName {
    /// Checks that every part fits.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` for the query, ``FormatError/keyTooLong(actual:limit:)``
    ///   for any other part.
    package func checkLimits() throws(FormatError) {
        try Limits.check(rowType: className)
        try Limits.check(query: query)
        guard let reference else { return }
        try Limits.check(attribute: reference.attribute)
        try RowKeyCoding.checkBudget(resource: reference.row.resource, type: reference.row.type, key: reference.row.key)
    }

    /// Visits elements 1 to 7 of the collection's record.
    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&className)
        codeQuery(&coder)
    }

    private mutating func codeQuery(_ coder: inout FieldCoder) {
        var (row, attribute) = (reference?.row, reference?.attribute)
        coder.text(&query)
        coder.row("referrer", &row)
        coder.text(&attribute)
        if let row, let attribute {
            reference = Reference(row: row, attribute: attribute)
        } else {
            coder.require(row == nil && attribute == nil, "referrer", 0)
        }
    }

    /// The most bytes that the beginning of the query may have in a key, code and terminator included.
    private static let queryPrefixLimit = 200

    /// The longest beginning of the query whose encoding is short enough for a key.
    var queryPrefix: String {
        var length = 2
        var queryPrefix = String.UnicodeScalarView()
        for scalar in query.unicodeScalars {
            length += scalar == "\0" ? 2 : UTF8.width(scalar)
            if length > Self.queryPrefixLimit { break }
            queryPrefix.append(scalar)
        }
        return String(queryPrefix)
    }

    /// A hash of query and reference, which nearly always distinguishes names with the same class and head.
    var hash: Int64 {
        Int64(bitPattern: identityBytes.rawSpan.xxh64(seed: 0))
    }

    /// The encoding of query and reference.
    var identityBytes: [UInt8] {
        var coder = FieldCoder()
        var name = self
        name.codeQuery(&coder)
        return coder.bytes
    }
}
