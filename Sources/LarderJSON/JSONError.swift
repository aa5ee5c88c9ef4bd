/// The reason bytes are not an acceptable JSON text, and the place.
public struct JSONError: Error, Hashable, Sendable {
    /// The kinds of faults in a text.
    public enum Reason: Hashable, Sendable {
        /// A byte that the grammar does not allow at this place. RFC 8259 §2.
        case unexpectedByte
        /// The bytes ended inside the text, or there were none.
        case unexpectedEnd
        /// Something other than white space follows the text.
        case trailingBytes
        /// A number is spelled in a way the grammar does not allow, such as `01` or `1.`. RFC 8259 §6.
        case invalidNumber
        /// A backslash is followed by something that is no escape. RFC 8259 §7.
        case invalidEscape
        /// An unescaped character below U+0020 is in a string. RFC 8259 §7.
        case controlCharacter
        /// Bytes in a string are not UTF-8. RFC 3629 §4.
        case invalidUTF8
        /// An escape names half of a surrogate pair: no Unicode scalar, so no string. RFC 8259 §8.2.
        case loneSurrogate
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// A name or value to be captured is longer than the limit.
        case textTooLong
        /// The text as a whole is longer than the limit.
        case documentTooLong
        /// Something other than an object is where an object is needed.
        case noObject
        /// An object has two members with one name, so it is ambiguous which of them counts.
        case repeatedName
    }

    /// The kind of fault.
    public let reason: Reason

    /// The position of the first wrong byte, counted from the first byte of the text; the length of a text that ended
    /// too early.
    public let offset: Int64

    /// An error at `offset`.
    public init(_ reason: Reason, at offset: Int64) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One line without any of the text's content.
    public var description: String { "JSON: \(reason.text) at byte \(offset)" }
}

extension JSONError.Reason {
    /// The fault in words.
    fileprivate var text: String {
        switch self {
        case .unexpectedByte: "an unexpected byte"
        case .unexpectedEnd: "an early end"
        case .trailingBytes: "bytes behind the end"
        case .invalidNumber: "an invalid number"
        case .invalidEscape: "an invalid escape"
        case .controlCharacter: "an unescaped control character"
        case .invalidUTF8: "bytes that are not UTF-8"
        case .loneSurrogate: "half of a surrogate pair"
        case .tooDeep: "nesting that is too deep"
        case .textTooLong: "a text that is too long"
        case .documentTooLong: "more bytes than allowed"
        case .noObject: "no object"
        case .repeatedName: "a repeated name"
        }
    }
}
