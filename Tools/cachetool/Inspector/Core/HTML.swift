import LarderFormat

/// Markup of a page: literals are markup, and interpolated texts are escaped.
///
/// ```swift
/// let cell: HTML = "<td>\(row.key)</td>"
/// ```
struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// Collects the parts of a literal.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        mutating func appendInterpolation(_ markup: [HTML]) { for part in markup { text += part.text } }

        /// Adds a text of the store, or of a request: it becomes no markup, and control and format characters are shown.
        mutating func appendInterpolation(_ value: String) { text += value.escaped().escapedForHTML() }

        /// Adds a text of several lines.
        mutating func appendInterpolation(lines value: String) {
            text += value.replacing("\r\n", with: "\n").escaped(keeping: ["\n"]).escapedForHTML()
        }

        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
    }

    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static func += (left: inout HTML, right: HTML) { left.text += right.text }
}

extension String {
    fileprivate func escapedForHTML() -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
