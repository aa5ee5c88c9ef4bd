/// Appends JSON to a buffer of bytes (RFC 8259).
package struct JSONWriter {
    /// The JSON so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends JSON as it is, such as punctuation and member names.
    package mutating func raw(_ text: StaticString) { bytes.append(contentsOf: text.description.utf8) }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Appends an integer in decimal, or `null`.
    package mutating func integer(_ value: Int64?) {
        guard let value else { return raw("null") }
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Appends `true` or `false`.
    package mutating func boolean(_ value: Bool) {
        if value { raw("true") } else { raw("false") }
    }

    /// Appends a quoted string, or `null`; escapes only the characters that RFC 8259 §7 requires.
    package mutating func string(_ value: String?) {
        guard let value else { return raw("null") }
        JSONText.append(quoting: value, to: &bytes)
    }
}
