import Foundation

/// A request for a page.
struct InspectorRequest: Sendable {
    var method = "GET"
    /// Path and query, as they were sent.
    var target: String
    /// The header field `Host`.
    var host: String?
    /// The header field `Origin`, which browsers send with forms.
    var origin: String?
    /// The header field `Sec-Fetch-Site`.
    var fetchSite: String?
    /// The content of a form.
    var body: [UInt8] = []
}

/// The answer to a request for a page.
struct InspectorResponse: Hashable, Sendable {
    var status = 200
    var type = "text/html; charset=utf-8"
    var body: [UInt8] = []
    /// The page to request next, relative to the one requested.
    var location: String?

    /// Returns a page, or a part of it.
    static func text(_ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8") -> Self {
        InspectorResponse(status: status, type: type, body: Array(text.utf8))
    }

    /// Header fields of every response: nothing is loaded from elsewhere, stored, framed, or sent to another site.
    static let fields = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}

/// The values of a query or of a form, the first one of each name.
struct FormValues: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// Parses `name=value&…` (application/x-www-form-urlencoded); parts that are no UTF-8 are left out.
    init(parsing text: some StringProtocol) {
        for part in text.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0]), let value = Self.decoded(sides.count > 1 ? sides[1] : ""),
                values[name] == nil
            else { continue }
            values[name] = value
        }
    }

    /// The value of a name; nil where the request has none.
    subscript(name: String) -> String? { values[name] }

    /// The value of a name, unless it is empty as that of a field that is left empty.
    func filled(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    private static func decoded(_ text: some StringProtocol) -> String? {
        text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}

/// A link to another page, relative to this one.
struct InspectorLink: Hashable, Sendable {
    /// The path and the query.
    let target: String

    init(_ page: InspectorPage, _ values: [(String, String?)] = []) {
        let query = values.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        target =
            (page == .overview ? "." : "./\(page.rawValue)") + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
    }

    /// Encodes everything but RFC 3986's unreserved characters, which mean nothing in a query.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
