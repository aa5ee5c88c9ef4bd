/// The input of one run, from which a target draws values. At its end every value is zero or empty.
struct FuzzedBytes {
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Draws a number below `bound`, which is at most 256.
    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    /// Draws an integer of any size, short ones more often.
    mutating func integer() -> Int64 {
        var bits: UInt64 = 0
        for _ in 0..<number(below: 9) { bits = bits << 8 | UInt64(byte()) }
        return Int64(bitPattern: byte() & 1 == 0 ? bits : ~bits)
    }

    /// Draws bytes, as many as the first byte says.
    mutating func bytes() -> [UInt8] {
        let count = number(below: 256)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Draws a text; bytes that are not UTF-8 are repaired.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// Draws what is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
