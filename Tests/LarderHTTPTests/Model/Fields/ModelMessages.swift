// ModelFields: header fields as the model sees them: lines of text, in the order in which they came.

import Foundation

/// Header fields as the model sees them: lines of text, in the order in which they came.
struct ModelFields: Hashable {
    struct Line: Hashable {
        var name: String
        var value: String
    }

    var lines: [Line] = []

    init(_ pairs: [(String, String)] = []) {
        lines = pairs.map { Line(name: $0.0, value: $0.1) }
    }

    /// The values of the lines of a name, in order. RFC 9110 §5.1: names are case-insensitive.
    func all(_ name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map { $0.value.trimmed }
    }

    /// The lines of a name as one value; nil when there is none. RFC 9110 §5.2.
    func combined(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    func has(_ name: String) -> Bool { !all(name).isEmpty }

    mutating func remove(_ name: String) {
        lines.removeAll { $0.name.lowercased() == name.lowercased() }
    }
}

extension ModelFields: CustomStringConvertible {
    var description: String { lines.map { "\($0.name): \($0.value)" }.joined(separator: " | ") }
}

/// A request as the model sees it.
struct ModelRequest: Hashable {
    var method = "GET"
    var url = "https://example.com/"
    var fields = ModelFields()
}

/// A response as the model sees it.
struct ModelResponse: Hashable {
    var status = 200
    var fields = ModelFields()
}

/// A stored response with the request that it answered. Times are in seconds since 1970.
struct ModelStored: Hashable {
    var request: ModelRequest
    var response: ModelResponse
    var requestedAt: Double
    var receivedAt: Double
    /// The bytes of the representation that are kept; nil: all of them.
    var part: Range<Int64>?
    /// The length of the whole representation, when it is a part and the length is known.
    var total: Int64?
    var isInvalidated = false
}

extension String {
    /// The text without optional whitespace at its ends. RFC 9110 §5.6.3.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = first, let last = last, isSpace(first) || isSpace(last) else { return self }
        return String(String(drop(while: isSpace).reversed()).drop(while: isSpace).reversed())
    }

    /// Whether it is a token. RFC 9110 §5.6.2.
    var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether it is one ASCII digit or more.
    var isDigits: Bool { !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// The members of a list, without empty ones; commas within quoted strings do not part. RFC 9110 §5.6.1.
    var listMembers: [String] {
        var members = [""]
        var isQuoted = false
        var isEscaped = false
        for character in unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                members.append("")
                continue
            }
            members[members.count - 1].unicodeScalars.append(character)
        }
        return members.map(\.trimmed).filter { !$0.isEmpty }
    }
}
