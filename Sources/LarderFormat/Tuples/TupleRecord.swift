/// A record whose body is a tuple: it states its fields once, and reading and writing follow from that.
package protocol TupleRecord {
    /// A record to read into.
    init()
    /// Visits the fields in the order of their elements. What follows the last one is of a later version.
    mutating func codeFields(_ coder: inout FieldCoder)
}

extension TupleRecord {
    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var coder = FieldCoder(reading: body)
        self.init()
        codeFields(&coder)
        if let failure = coder.failure { throw failure }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var coder = FieldCoder()
        var record = self
        record.codeFields(&coder)
        return coder.bytes
    }
}
