import LarderJSON

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

    // JSON requires no escape of format characters, but a terminal executes or hides them.
    private static func write(_ text: String, to output: inout [UInt8]) {
        JSONText.append(quoting: text, escapesFormat: true, to: &output)
    }
}
