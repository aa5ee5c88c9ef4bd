import LarderFormat

/// The kinds of values whose order their encodings have to keep.
enum KeyOrder: Int, CaseIterable {
    case integer, text, bytes, recordKey, resource, row, indexBinary, indexNocase

    /// Draws two values and compares their order with that of their encodings.
    func check(_ input: inout FuzzedBytes) {
        switch self {
        case .integer: compare(input.integer(), input.integer(), { $0 < $1 }) { $0.append(integer: $1) }
        case .text:
            compare(input.bytes(), input.bytes(), Self.texts) { $0.append(text: String(decoding: $1, as: UTF8.self)) }
        case .bytes: compare(input.bytes(), input.bytes(), Self.precedes) { $0.append(bytes: $1) }
        case .recordKey: compare(input.text(), input.text(), RecordKey.precedes) { $0.append(recordKey: $1) }
        case .resource: compare(Self.resource(&input), Self.resource(&input), { $0 < $1 }) { $0.append(resource: $1) }
        case .row:
            compare(Self.row(&input), Self.row(&input), { $0 < $1 }) { writer, row in
                writer.append(resource: row.resource)
                writer.append(text: row.type)
                writer.append(recordKey: row.key)
            }
        case .indexBinary: Self.compareTerms(.binary, &input)
        case .indexNocase: Self.compareTerms(.nocase, &input)
        }
    }

    private func compare<Value>(
        _ left: Value, _ right: Value, _ precedes: (Value, Value) -> Bool, _ append: (inout TupleWriter, Value) -> Void
    ) {
        let (one, other) = (TupleWriter.bytes { append(&$0, left) }, TupleWriter.bytes { append(&$0, right) })
        require(
            precedes(left, right) == Self.precedes(one, other) && precedes(right, left) == Self.precedes(other, one),
            "\(self): \(left) and \(right) are encoded in another order")
        // An element never begins another one, so that a key behind a prefix belongs to it.
        require(one == other || !one.rawSpan.beginsWith(elements: other), "\(self): \(right) begins \(left)")
    }

    /// Compares two values of an index. A text that was cut may be equal to another one, but never in another order.
    private static func compareTerms(_ collation: IndexCollation, _ input: inout FuzzedBytes) {
        let (left, right) = (value(&input), value(&input))
        guard let one = key(left, collation), let other = key(right, collation) else { return }
        let reads = { (key: [UInt8]) in
            var reader = TupleReader(key.rawSpan)
            return try? IndexTerm(from: &reader)
        }
        require(reads(one) == IndexTerm(left, collation), "\(left) is read as another value")
        if one != other {
            let (first, last) = precedes(one, other) ? (left, right) : (right, left)
            require(!collation.precedes(last, first), "\(collation): \(left) and \(right) are encoded in another order")
        } else if case .text(_, isTruncated: true)? = IndexTerm(left, collation) {
            return
        } else {
            require(
                !collation.precedes(left, right) && !collation.precedes(right, left),
                "\(collation): \(left) and \(right) have one encoding")
        }
    }

    private static func key(_ value: IndexValue, _ collation: IndexCollation) -> [UInt8]? {
        guard let term = IndexTerm(value, collation) else { return nil }
        var buffer = KeyBuffer()
        do throws(FormatError) { try term.append(to: &buffer) } catch {
            fatalError("\(value) has no encoding: \(error)")
        }
        return buffer.array()
    }

    private static func value(_ input: inout FuzzedBytes) -> IndexValue {
        switch input.number(below: 4) {
        case 0: .null
        case 1: .integer(input.integer())
        case 2: .real(real(&input))
        default: .text(input.text())
        }
    }

    /// Draws a real number: any bits, or a number near a whole one.
    private static func real(_ input: inout FuzzedBytes) -> Double {
        let bits = input.integer()
        let number = input.byte() & 1 == 0 ? Double(bitPattern: UInt64(bitPattern: bits)) : Double(bits) / 8
        return number.isNaN ? 0 : number
    }

    private static func resource(_ input: inout FuzzedBytes) -> ResourceKey {
        ResourceKey(input.text(), input.integer())
    }

    private static func row(_ input: inout FuzzedBytes) -> RowKey {
        RowKey(resource: resource(&input), type: input.text(), key: input.text())
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.rawSpan.lexicographicallyPrecedes(right.rawSpan)
    }

    private static func texts(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        Array(String(decoding: left, as: UTF8.self).utf8).lexicographicallyPrecedes(
            Array(String(decoding: right, as: UTF8.self).utf8))
    }
}
