extension JSONScanner {
    /// Consumes white space and punctuation up to a complete token, the begin of a longer one, or the chunk's end.
    mutating func structure(_ bytes: Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONToken? {
        var index = position
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                index += 1
                continue
            }
            start = consumed &+ Int64(index)
            switch expectation {
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw failure(.unexpectedByte, at: index) }
                expectation = .value
                index += 1
            case .commaOrObjectEnd where byte == UInt8(ascii: ","):
                expectation = .name
                index += 1
            case .commaOrArrayEnd where byte == UInt8(ascii: ","):
                expectation = .value
                index += 1
            case .commaOrObjectEnd, .commaOrArrayEnd:
                position = index + 1
                return try close(byte, at: index)
            case .name, .nameOrObjectEnd:
                position = index + 1
                return try name(byte, at: index)
            case .value, .valueOrArrayEnd:
                position = index + 1
                return try value(byte, &position)
            case .nothing:
                throw failure(.trailingBytes, at: index)
            }
        }
        position = index
        return nil
    }

    /// Consumes the first byte of a member's name, or the end of an empty object.
    private mutating func name(_ byte: UInt8, at index: Int) throws(JSONError) -> JSONToken? {
        if byte == UInt8(ascii: "\"") {
            mode = .name
            beginText(captured: depth <= maxReportedDepth)
            return nil
        }
        guard expectation == .nameOrObjectEnd else { throw failure(.unexpectedByte, at: index) }
        return try close(byte, at: index)
    }

    /// Consumes the first byte of a value, or the end of an empty array; `position` is behind that byte.
    private mutating func value(_ byte: UInt8, _ position: inout Int) throws(JSONError) -> JSONToken? {
        switch byte {
        case UInt8(ascii: "\""):
            mode = .string
            beginText(captured: capturesValues && depth <= maxReportedDepth)
            return nil
        case UInt8(ascii: "{"):
            try open(isObject: true, expecting: .nameOrObjectEnd, at: position - 1)
            return .objectBegin
        case UInt8(ascii: "["):
            try open(isObject: false, expecting: .valueOrArrayEnd, at: position - 1)
            return .arrayBegin
        case UInt8(ascii: "]") where expectation == .valueOrArrayEnd:
            return try close(byte, at: position - 1)
        case UInt8(ascii: "t"): beginLiteral(.true, rest: 0x65_75_72, left: 3)
        case UInt8(ascii: "f"): beginLiteral(.false, rest: 0x65_73_6C_61, left: 4)
        case UInt8(ascii: "n"): beginLiteral(.null, rest: 0x6C_6C_75, left: 3)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            mode = .number
            number = .nothing
            beginText(captured: capturesValues && depth <= maxReportedDepth)
            position -= 1
        default:
            throw failure(.unexpectedByte, at: position - 1)
        }
        return nil
    }

    private mutating func open(isObject: Bool, expecting: Expectation, at index: Int) throws(JSONError) {
        guard depth < limits.depth else { throw failure(.tooDeep, at: index) }
        if depth % 64 == 0, depth > 0 { outerKinds.append(kinds) }
        kinds = kinds &<< 1 | (isObject ? 1 : 0)
        depth += 1
        expectation = expecting
    }

    private var isInObject: Bool { kinds & 1 == 1 }

    mutating func close(_ byte: UInt8, at index: Int) throws(JSONError) -> JSONToken {
        let isObject = isInObject
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw failure(.unexpectedByte, at: index)
        }
        depth -= 1
        kinds = depth % 64 == 0 && depth > 0 ? outerKinds.removeLast() : kinds &>> 1
        completeValue()
        return isObject ? .objectEnd : .arrayEnd
    }

    /// Returns to punctuation after a value.
    mutating func completeValue() {
        mode = .structure
        if depth == 0 {
            expectation = .nothing
        } else {
            expectation = isInObject ? .commaOrObjectEnd : .commaOrArrayEnd
        }
    }

    private mutating func beginText(captured: Bool) {
        isCapturing = captured
        if captured { text.removeAll(keepingCapacity: true) }
        string = StringState()
    }

    private mutating func beginLiteral(_ token: JSONToken, rest: UInt32, left: UInt8) {
        mode = .literal
        literal = LiteralState(token: token, rest: rest, left: left)
    }
}
