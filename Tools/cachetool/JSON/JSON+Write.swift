import LarderFormat

extension JSON {
    /// The text, without blanks and line ends.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text's bytes, without blanks and line ends.
    var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    /// Appends the text.
    func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let value): output += String(value).utf8
        // The only non-finite values of SQL are the infinities; JSON parsers read so large a number as infinity.
        case .real(let value): output += (value.isFinite ? String(value) : value < 0 ? "-1e999" : "1e999").utf8
        case .string(let value): Self.write(value, to: &output)
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
            // JSON does not require this escape, but a terminal executes or hides these characters.
            case _ where scalar.isControlOrFormat: output += scalar.escape.utf8
            default: output += scalar.utf8
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
