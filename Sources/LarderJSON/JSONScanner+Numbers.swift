extension JSONScanner {
    /// The part of a number that was read last. RFC 8259 §6.
    enum NumberState: UInt8 {
        case nothing, minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits

        /// Whether a number may end here.
        var isComplete: Bool {
            switch self {
            case .zero, .integer, .fraction, .exponentDigits: true
            case .nothing, .minus, .point, .exponent, .exponentSign: false
            }
        }

        /// Returns the state after `byte`; `nil` when the byte does not continue the number.
        func after(_ byte: UInt8) -> NumberState? {
            switch (self, byte) {
            case (.integer, 0x30...0x39): .integer
            case (.fraction, 0x30...0x39), (.point, 0x30...0x39): .fraction
            case (.nothing, 0x30), (.minus, 0x30): .zero
            case (.nothing, 0x31...0x39), (.minus, 0x31...0x39): .integer
            case (.nothing, UInt8(ascii: "-")): .minus
            case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
            case (.zero, 0x45), (.zero, 0x65), (.integer, 0x45), (.integer, 0x65), (.fraction, 0x45), (.fraction, 0x65):
                .exponent
            case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): .exponentSign
            case (.exponent, 0x30...0x39), (.exponentSign, 0x30...0x39), (.exponentDigits, 0x30...0x39):
                .exponentDigits
            default: nil
            }
        }
    }

    /// The rest of a literal in progress.
    struct LiteralState {
        let token: JSONToken
        /// The bytes still to come, the next one in the lowest eight bits.
        var rest: UInt32
        /// The number of bytes still to come.
        var left: UInt8
    }

    mutating func numberBody(_ bytes: Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONToken? {
        var index = position
        var state = number
        while index < bytes.count, let next = state.after(bytes[index]) {
            state = next
            index += 1
        }
        number = state
        try capture(bytes, from: position, to: index)
        position = index
        guard index < bytes.count else { return nil }
        // A digit or sign that does not continue the number, as in `01` or `1.e5`, can follow no number either.
        guard state.isComplete, !Self.continuesNumber(bytes[index]) else { throw failure(.invalidNumber, at: index) }
        completeValue()
        return .number
    }

    static func continuesNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), 0x45, 0x65: true
        default: false
        }
    }

    mutating func literalBody(_ chunk: Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONToken? {
        while literal.left > 0 {
            guard position < chunk.count else { return nil }
            guard chunk[position] == UInt8(truncatingIfNeeded: literal.rest) else {
                throw failure(.unexpectedByte, at: position)
            }
            literal.rest &>>= 8
            literal.left -= 1
            position += 1
        }
        completeValue()
        return literal.token
    }

    /// Appends a part of the token in progress to ``text`` when the token is captured.
    mutating func capture(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(JSONError) {
        guard isCapturing, start < end else { return }
        let space = limits.text - text.count
        guard end - start <= space else { throw failure(.textTooLong, at: start + space) }
        guard end - start < 24 else { return text.append(copying: bytes.extracting(start..<end)) }
        // Most names and keys are short: a call to copy them would be slower than this loop.
        for index in start..<end { text.append(bytes[index]) }
    }
}
