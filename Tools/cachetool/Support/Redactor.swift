import Foundation
import LarderFormat

/// Prints content unchanged, or its size and hash instead.
///
/// Equal content of one store has equal hashes, so that redacted output can still be compared. The hash is no
/// protection against guessing: a correct guess of the content can be confirmed.
struct Redactor {
    private let seed: UInt64?

    /// - Parameter store: The seed of the hashes, so that those of two stores cannot be matched.
    init(isOn: Bool, store: UUIDBytes) {
        seed = isOn ? store.high ^ store.low : nil
    }

    /// Whether content is redacted.
    var isOn: Bool { seed != nil }

    /// Returns a text.
    func json(_ text: String) -> JSON {
        seed == nil ? .string(text) : redacted(Array(text.utf8))
    }

    /// Returns a text, or null.
    func json(_ text: String?) -> JSON { text.map { json($0) } ?? .null }

    /// Returns a number that identifies something.
    func json(_ number: Int64) -> JSON {
        seed == nil ? .integer(number) : redacted(Array(String(number).utf8))
    }

    /// Returns a payload: a string when it is UTF-8, else base64.
    func payload(_ bytes: [UInt8]) -> JSON.Member {
        if seed != nil { return JSON.Member(name: "payload", value: redacted(bytes)) }
        if let text = String(validating: bytes, as: UTF8.self) {
            return JSON.Member(name: "payload", value: .string(text))
        }
        return JSON.Member(name: "base64", value: .string(Data(bytes).base64EncodedString()))
    }

    /// Returns a text for display: unchanged when it is plain, otherwise quoted.
    func text(_ text: String) -> String {
        if seed != nil { return summary(Array(text.utf8)) }
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory.isPlain }
        return isPlain ? text : JSON.string(text).text
    }

    /// Returns a resource for display.
    func text(_ resource: ResourceKey) -> String {
        seed == nil ? "\(text(resource.group))/\(resource.id)" : summary(Array(resource.description.utf8))
    }

    private func summary(_ bytes: [UInt8]) -> String { "<\(bytes.count) bytes, \(hash(bytes))>" }

    private func redacted(_ bytes: [UInt8]) -> JSON {
        ["size": .count(bytes.count), "hash": .string(hash(bytes))]
    }

    private func hash(_ bytes: [UInt8]) -> String { (bytes.rawSpan.xxh64(seed: seed ?? 0)).hexadecimal }
}

extension UInt64 {
    /// The number in sixteen hexadecimal digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Unicode.GeneralCategory {
    /// Whether a terminal shows the character unchanged, within one field of a line.
    fileprivate var isPlain: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
