/// The destination of encoded elements: a key on the stack or a growing array.
protocol TupleSink: ~Copyable {
    /// Appends the next byte.
    mutating func put(_ byte: UInt8)
    /// Appends bytes.
    mutating func put(_ bytes: Span<UInt8>)
    /// Appends the `size` lowest bytes of a number, 0 to 8, the highest first.
    mutating func put(lowest size: Int, of number: UInt64)
}

extension TupleSink where Self: ~Copyable {
    mutating func put(integer: Int64) {
        let magnitude = integer.magnitude
        let size = TupleLength.significantBytes(of: magnitude)
        // A negative integer is written as the one's complement of its magnitude, so that more negative is smaller.
        let bits = integer < 0 ? ~magnitude : magnitude
        put(integer < 0 ? TupleCode.zero - UInt8(size) : TupleCode.zero + UInt8(size))
        put(lowest: size, of: bits)
    }

    mutating func put(lowest size: Int, of number: UInt64) {
        var shift = size * 8
        while shift > 0 {
            shift -= 8
            put(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    mutating func put(text: String) {
        put(TupleCode.text)
        text.withUTF8Span { put(escaped: $0) }
    }

    mutating func put(bytes: [UInt8]) {
        put(TupleCode.bytes)
        put(escaped: bytes.rawSpan.bytes)
    }

    mutating func put(recordKey: String) {
        guard let number = RecordKey.canonicalDecimal(recordKey) else { return put(text: recordKey) }
        put(TupleCode.decimal)
        put(integer: number)
    }

    mutating func put(bool: Bool) {
        put(bool ? TupleCode.yes : TupleCode.no)
    }

    mutating func put(uuid: UUIDBytes) {
        put(TupleCode.uuid)
        for index in 0..<16 { put(uuid[index]) }
    }

    private mutating func put(escaped bytes: Span<UInt8>) {
        if bytes.raw.firstZero(from: 0) == nil {
            put(bytes)
        } else {
            for index in 0..<bytes.count {
                let byte = bytes[index]
                put(byte)
                if byte == TupleCode.terminator { put(TupleCode.escape) }
            }
        }
        put(TupleCode.terminator)
    }
}
