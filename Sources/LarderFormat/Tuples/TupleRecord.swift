/// A record whose body is a tuple: it states its fields once, for both reading and writing.
package protocol TupleRecord {
    /// A record to read into.
    init()
    /// Visits the fields in the order of their elements. Elements behind the last field are of a later version and are
    /// ignored.
    mutating func codeFields(_ coder: inout FieldCoder)
}

extension TupleRecord {
    /// Reads a body.
    ///
    /// - Throws: ``FormatError`` as ``TupleReader``, ``FormatError/invalidValue(field:value:)`` for a field without
    ///   meaning, or another case that ``codeFields(_:)`` documents.
    package init(decoding body: RawSpan) throws(FormatError) {
        var coder = FieldCoder(reading: body)
        self.init()
        codeFields(&coder)
        if let failure = coder.failure { throw failure }
    }

    /// Returns the body.
    package func encode() -> [UInt8] {
        var coder = FieldCoder()
        var record = self
        record.codeFields(&coder)
        return coder.bytes
    }
}
