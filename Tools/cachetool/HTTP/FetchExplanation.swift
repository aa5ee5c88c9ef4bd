import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP

/// Explains the origin of a response and the reason for its use, as text and as JSON.
struct FetchExplanation {
    private let fetched: Fetched<HTTPAnswer>

    init(_ fetched: Fetched<HTTPAnswer>) { self.fetched = fetched }

    /// The explanation in plain words, one fact per line.
    var lines: [String] {
        var lines = ["\(fetched.value.head.status.code) \(origin)"]
        if let age = fetched.age { lines.append("age: \(Self.seconds(age)) s") }
        lines.append("freshness: \(freshness)")
        lines.append("why: \(fetched.reuse)")
        lines.append("stored: \(fetched.storage)")
        return lines
    }

    private var origin: String {
        switch fetched.origin {
        case .network: "from the server"
        case .cache: "from the cache"
        case .revalidated: "from the cache, confirmed by the server"
        }
    }

    private var freshness: String {
        switch fetched.state {
        case .fresh(let end): "fresh until \(Self.text(end))"
        case .stale(let since): "stale since \(Self.text(since))"
        case .expiredServedOffline(let since): "expired since \(Self.text(since)), and served for want of the server"
        case .unknown: "unknown: the response is not stored"
        }
    }

    /// Returns the explanation as one object; see the help.
    func json(url: String, body: [UInt8]) -> JSON {
        let (state, time): (String, Int64?) =
            switch fetched.state {
            case .fresh(let end): ("fresh", end)
            case .stale(let since): ("stale", since)
            case .expiredServedOffline(let since): ("expiredServedOffline", since)
            case .unknown: ("unknown", nil)
            }
        let members: [(String, JSON)] = [
            ("url", .string(url)), ("status", .count(fetched.value.head.status.code)),
            ("headers", .headers(fetched.value.head.headerFields)), ("origin", .string(fetched.origin.rawValue)),
            ("state", .string(state)), ("stateAt", .optional(time.map(Self.text))),
            ("ageSeconds", .optional(fetched.age.map(Self.seconds))), ("reuse", .string(fetched.reuse.word)),
            ("reuseReason", .string(fetched.reuse.description)), ("storage", .string(fetched.storage.word)),
            ("storageReason", .string(fetched.storage.description)),
        ]
        return .object(
            members.map { JSON.Member(name: $0.0, value: $0.1) } + [.body(body, text: "body", base64: "bodyBase64")])
    }

    private static func seconds(_ duration: Duration) -> Int64 { duration.components.seconds }

    private static func text(_ milliseconds: Int64) -> String { timeText(milliseconds) }
}

extension JSON {
    /// Returns header fields as a list of pairs; each character of a value is one byte of it (ISO-8859-1).
    static func headers(_ fields: HTTPFields) -> JSON {
        .array(fields.map { .array([.string($0.name.rawName), .string(Latin1.text($0))]) })
    }
}

extension JSON.Member {
    /// Returns a body under the first name when it is UTF-8, else in base64 under the second.
    static func body(_ bytes: [UInt8], text: String, base64: String) -> JSON.Member {
        if let plain = bytes.rawSpan.text() {
            return JSON.Member(name: text, value: .string(plain))
        }
        return JSON.Member(name: base64, value: .string(Data(bytes).base64EncodedString()))
    }
}

/// Converts field values to texts whose characters are bytes: ISO-8859-1.
enum Latin1 {
    /// Returns the value of a field.
    static func text(_ field: HTTPField) -> String {
        let bytes = unsafe field.withUnsafeBytesOfValue { unsafe [UInt8]($0) }  // Copied during the call.
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns a field with the value in `text`; nil when a character is not one byte.
    static func field(_ name: HTTPField.Name, _ text: String) -> HTTPField? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return HTTPField(name: name, value: bytes)
    }
}
