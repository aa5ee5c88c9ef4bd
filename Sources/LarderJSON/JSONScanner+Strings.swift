extension JSONScanner {
    /// The state of a string in progress, for a chunk that ends in the middle of a character.
    struct StringState {
        /// Continuation bytes still to come of one UTF-8 character.
        var continuations: UInt8 = 0
        /// The least and greatest value that the next continuation byte may have. RFC 3629 §4.
        var least: UInt8 = 0x80
        var greatest: UInt8 = 0xBF
        var escape = Escape.none
        /// The hexadecimal digits of `\u` so far.
        var unit: UInt16 = 0
        /// The first half of a surrogate pair whose second half must follow; 0 for none.
        var high: UInt16 = 0
    }

    /// The part of an escape that was read last. RFC 8259 §7.
    enum Escape: UInt8 {
        /// No escape in progress. The next four count the digits of `\u` that are still to come.
        case none = 0
        case oneDigit, twoDigits, threeDigits, fourDigits
        /// Behind the backslash.
        case begun
        /// Behind the first half of a surrogate pair, in front of a backslash.
        case secondSurrogate
    }

    mutating func stringBody(_ chunk: Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONToken? {
        while position < chunk.count {
            if string.escape != .none {
                if try escape(chunk[position], at: position) { position += 1 }
                continue
            }
            let start = position
            position = try plainRun(chunk, from: start)
            try capture(chunk, from: start, to: position)
            guard position < chunk.count else { return nil }
            // Where a run stops short of the chunk's end there is a quote or a backslash.
            position += 1
            if chunk[position - 1] == UInt8(ascii: "\\") {
                string.escape = .begun
                continue
            }
            guard mode == .name else {
                completeValue()
                return .string
            }
            mode = .structure
            expectation = .colon
            return .name
        }
        return nil
    }

    /// Returns the end of the run of unescaped characters from `start` on: a quote, a backslash or the chunk's end.
    ///
    /// Whole characters are checked in one step; one that the chunk's end cuts leaves its state in `string`.
    private mutating func plainRun(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        var index = start
        if string.continuations > 0 { index = try continuation(bytes, from: index) }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
                guard byte >= 0x20 else { throw failure(.controlCharacter, at: index) }
                index = Self.endOfPlainWords(bytes, from: index + 1)
            } else if let length = Self.lengthOfCommonCharacter(bytes, at: index) {
                index += length
            } else {
                try beginCharacter(byte, at: index)
                index = try continuation(bytes, from: index + 1)
            }
        }
        return index
    }

    /// Returns the length of a whole character of two bytes, or of three where every second byte is allowed, else nil.
    @inline(__always)
    static func lengthOfCommonCharacter(_ bytes: borrowing Span<UInt8>, at index: Int) -> Int? {
        let byte = bytes[index]
        if byte >= 0xC2, byte < 0xE0, index + 1 < bytes.count, bytes[index + 1] & 0xC0 == 0x80 { return 2 }
        if byte > 0xE0, byte < 0xF0, byte != 0xED, index + 2 < bytes.count, bytes[index + 1] & 0xC0 == 0x80,
            bytes[index + 2] & 0xC0 == 0x80
        {
            return 3
        }
        return nil
    }

    /// Returns a position before which, from `start` on, all are ASCII characters that stand for themselves.
    ///
    /// Eight bytes are checked in one step: the lowest one that is marked is not such a character.
    static func endOfPlainWords(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index <= bytes.count - 8 {
            let marks = marks(in: bytes.word(at: index)) & 0x8080_8080_8080_8080
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        return index
    }

    /// Sets the highest bit of the lowest byte of `word` that is no ASCII character, or none that stands for itself; higher
    /// bytes may be marked too.
    @inline(__always)
    static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (quote, backslash) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
        let controls = (word &- (ones &* 0x20)) & ~word
        return controls | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | word
    }

    /// Checks the first byte of a character of two to four bytes, and sets the range of the next. RFC 3629 §4.
    private mutating func beginCharacter(_ byte: UInt8, at index: Int) throws(JSONError) {
        string.least = 0x80
        string.greatest = 0xBF
        switch byte {
        case 0xC2...0xDF: string.continuations = 1
        case 0xE0...0xEF: string.continuations = 2
        case 0xF0...0xF4: string.continuations = 3
        default: throw failure(.invalidUTF8, at: index)
        }
        switch byte {
        case 0xE0: string.least = 0xA0  // else an overlong form
        case 0xED: string.greatest = 0x9F  // else a surrogate
        case 0xF0: string.least = 0x90  // else an overlong form
        case 0xF4: string.greatest = 0x8F  // else beyond U+10FFFF
        default: break
        }
    }

    /// Checks the continuation bytes still to come, up to the chunk's end, and returns the position behind them.
    private mutating func continuation(_ bytes: borrowing Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        var index = start
        while string.continuations > 0, index < bytes.count {
            guard bytes[index] >= string.least, bytes[index] <= string.greatest else {
                throw failure(.invalidUTF8, at: index)
            }
            string.least = 0x80
            string.greatest = 0xBF
            string.continuations -= 1
            index += 1
        }
        return index
    }

    /// Continues an escape with one byte; returns false where the byte is not part of it.
    private mutating func escape(_ byte: UInt8, at index: Int) throws(JSONError) -> Bool {
        switch string.escape {
        case .secondSurrogate:
            guard byte == UInt8(ascii: "\\") else {
                try replaceLoneSurrogate(at: index)
                string.escape = .none
                return false
            }
            string.escape = .begun
        case .begun where byte == UInt8(ascii: "u"):
            string.escape = .fourDigits
            string.unit = 0
        case .begun:
            if string.high != 0 { try replaceLoneSurrogate(at: index) }
            guard let value = Self.escaped(byte) else { throw failure(.invalidEscape, at: index) }
            string.escape = .none
            try appendScalar(value, at: index)
        case .none, .oneDigit, .twoDigits, .threeDigits, .fourDigits:
            guard let digit = Self.hexadecimal(byte) else { throw failure(.invalidEscape, at: index) }
            string.unit = string.unit &<< 4 | digit
            // Four digits count down to `none`, whose raw value is 0.
            string.escape = Escape(rawValue: string.escape.rawValue - 1) ?? .none
            if string.escape == .none { try finishUnit(at: index) }
        }
        return true
    }

    /// Handles a complete `\uXXXX`. RFC 8259 §7, on surrogate pairs.
    private mutating func finishUnit(at index: Int) throws(JSONError) {
        let unit = UInt32(string.unit)
        if string.high != 0 {
            if (0xDC00...0xDFFF).contains(unit) {
                let high = UInt32(string.high)
                string.high = 0
                return try appendScalar(0x1_0000 + (high - 0xD800) << 10 + (unit - 0xDC00), at: index)
            }
            try replaceLoneSurrogate(at: index)
        }
        switch unit {
        case 0xD800...0xDBFF:
            string.high = string.unit
            string.escape = .secondSurrogate
        case 0xDC00...0xDFFF: try replaceLoneSurrogate(at: index)
        default: try appendScalar(unit, at: index)
        }
    }

    /// Replaces or rejects half a surrogate pair that has no other half.
    private mutating func replaceLoneSurrogate(at index: Int) throws(JSONError) {
        guard limits.replacesLoneSurrogates else { throw failure(.loneSurrogate, at: index) }
        string.high = 0
        try appendScalar(0xFFFD, at: index)
    }

    /// Appends a decoded scalar in UTF-8 to ``text`` when the token is captured.
    private mutating func appendScalar(_ value: UInt32, at index: Int) throws(JSONError) {
        guard isCapturing else { return }
        guard let scalar = Unicode.Scalar(value), let encoded = Unicode.UTF8.encode(scalar) else {
            throw failure(.loneSurrogate, at: index)
        }
        guard encoded.count <= limits.text - text.count else { throw failure(.textTooLong, at: index) }
        text.append(contentsOf: encoded)
    }

    /// Returns the scalar of a backslash and `byte`; nil where they are no escape.
    static func escaped(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt32(byte)
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Returns the value of a hexadecimal digit, or nil.
    static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
