import Foundation
import LarderFormat

/// One element of a key or body: its name in a dump, and its format.
struct Field {
    /// The format of an element.
    enum Kind {
        /// A number, a flag or a UUID, shown unchanged.
        case plain
        /// A number that identifies a resource.
        case identifier
        /// A text of the host or the server.
        case content
        /// A text of a fixed set, never redacted.
        case word
        /// A number shown as the word at its position.
        case state([String])
        /// 64 bits, shown in hexadecimal.
        case bits
        /// A UUID.
        case uuid
        /// Bytes.
        case bytes
        /// A record key.
        case recordKey
        /// Content of any kind, shown with its kind.
        case any
    }

    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind = .plain) {
        self.name = name
        self.kind = kind
    }
}

extension Field {
    /// Returns the element's JSON; nil when the element is not of this field's kind.
    func json(_ element: TupleElement, _ redactor: Redactor) -> JSON? {
        if case .null = element { return .null }
        return switch (kind, element) {
        case (.any, .integer(let number)): redactor.json(number)
        case (.any, _): AnyElement.json(element, redactor)
        case (.plain, .integer(let number)): .integer(number)
        case (.plain, .bool(let flag)): .bool(flag)
        case (.identifier, .integer(let number)): redactor.json(number)
        case (.content, .text(let text)), (.recordKey, .text(let text)): redactor.json(text)
        case (.recordKey, .decimal(let number)): redactor.json(String(number))
        case (.word, .text(let text)): .string(text)
        case (.state(let words), .integer(let number)):
            number >= 0 && number < words.count ? .string(words[Int(number)]) : nil
        case (.bits, .integer(let number)): .string(UInt64(bitPattern: number).hexadecimal)
        case (.uuid, .uuid(let uuid)): .string(uuid.description)
        case (.bytes, .bytes(let bytes)): Self.json(redactor.payload(bytes))
        default: nil
        }
    }

    /// Returns bytes as a string, or as an object that marks them as base64.
    private static func json(_ payload: JSON.Member) -> JSON {
        payload.name == "base64" ? .object([payload]) : payload.value
    }

    /// Appends the element in `json`; returns false when it contains none of this field's kind.
    func append(_ json: JSON, to writer: inout TupleWriter) -> Bool {
        switch (kind, json) {
        case (_, .null): writer.appendNull()
        case (.any, _):
            guard let element = AnyElement.element(json) else { return false }
            writer.append(element: element)
        case (.plain, .integer(let number)), (.identifier, .integer(let number)): writer.append(integer: number)
        case (.plain, .bool(let flag)): writer.append(bool: flag)
        case (.content, .string(let text)), (.word, .string(let text)): writer.append(text: text)
        case (.recordKey, .string(let text)): writer.append(recordKey: text)
        case (.state(let words), .string(let word)):
            guard let number = words.firstIndex(of: word) else { return false }
            writer.append(integer: Int64(number))
        case (.bits, .string(let digits)):
            guard let bits = UInt64(digits, radix: 16) else { return false }
            writer.append(integer: Int64(bitPattern: bits))
        case (.uuid, .string(let text)):
            guard let uuid = UUIDBytes(text) else { return false }
            writer.append(uuid: uuid)
        case (.bytes, _):
            guard let bytes = Self.bytes(json) else { return false }
            writer.append(bytes: bytes)
        default: return false
        }
        return true
    }

    /// Returns the bytes of a string, or of an object that marks them as base64.
    static func bytes(_ json: JSON?) -> [UInt8]? {
        switch json {
        case .string(let text): return Array(text.utf8)
        case .object:
            guard case .string(let text)? = json?["base64"] else { return nil }
            return Data(base64Encoded: text).map { [UInt8]($0) }
        default: return nil
        }
    }
}
