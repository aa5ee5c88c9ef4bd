/// A value of a body that is in memory as a whole.
enum BodyValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number with fraction or exponent, or one beyond 64 bits.
    case otherNumber
    case string(String)
    /// Where an object stands in the body, braces included.
    case object(Range<Int>)
    case array(Range<Int>)

    /// The string, where it is one.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

/// Reads a body that is in memory as a whole, member by member, in one pass.
struct BodyReader {
    private let bytes: [UInt8]
    private var position = 0
    private var scanner = JSONScanner()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next token, which must come.
    mutating func token() throws(WireError) -> JSONToken {
        do throws(JSONError) {
            if let token = try scanner.next(in: bytes, at: &position) { return token }
            if let token = try scanner.finish() { return token }
            throw JSONError(.unexpectedEnd, at: Int64(bytes.count))
        } catch {
            throw .json(error)
        }
    }

    /// Checks that nothing follows.
    mutating func finish() throws(WireError) {
        do throws(JSONError) {
            _ = try scanner.next(in: bytes, at: &position)
            _ = try scanner.finish()
        } catch {
            throw .json(error)
        }
    }

    /// Takes the brace that begins an object.
    mutating func beginObject(path: @autoclosure () -> String) throws(WireError) {
        guard try token() == .objectBegin else { throw .wrongType(path: path(), expected: .object) }
    }

    /// Takes the bracket that begins an array.
    mutating func beginArray(path: @autoclosure () -> String) throws(WireError) {
        let token = try token()
        if token == .null { throw .missing(path: path()) }
        guard token == .arrayBegin else { throw .wrongType(path: path(), expected: .array) }
    }

    /// The next member's name, or `nil` where the object ends.
    mutating func name() throws(WireError) -> [UInt8]? {
        try token() == .name ? scanner.text : nil
    }

    /// The value whose first token is next.
    mutating func value() throws(WireError) -> BodyValue {
        switch try token() {
        case .null: return .null
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number: return Int64(jsonNumber: scanner.text).map(BodyValue.integer) ?? .otherNumber
        case .string: return .string(String(decoding: scanner.text, as: UTF8.self))
        case .objectBegin: return .object(try skipContainer())
        case .arrayBegin: return .array(try skipContainer())
        case .name, .objectEnd, .arrayEnd: preconditionFailure("unreachable: a value was due, the scanner checks it")
        }
    }

    /// Checks the rest of a container just begun without looking at it, and says where it stands.
    private mutating func skipContainer() throws(WireError) -> Range<Int> {
        let start = position - 1
        let quiet = scanner.quietDepth
        scanner.quietDepth = scanner.depth - 1
        _ = try token()
        scanner.quietDepth = quiet
        return start..<position
    }

    /// The rest of an object just begun: the values of the named members, `nil` for those that are absent.
    ///
    /// Others are checked and skipped.
    ///
    /// - Throws: ``WireError/duplicate(path:)`` when a named member stands twice.
    mutating func members(
        _ names: [StaticString], path: @autoclosure () -> String
    ) throws(WireError) -> [BodyValue?] {
        var values = [BodyValue?](repeating: nil, count: names.count)
        while let name = try name() {
            let found = names.firstIndex { $0.isSpelled(name) }
            let value = try value()
            guard let found else { continue }
            guard values[found] == nil else { throw .duplicate(path: path().member(names[found])) }
            values[found] = value
        }
        return values
    }

    /// Whether another element of an array follows, an object, which is then begun.
    mutating func nextObject(path: @autoclosure () -> String) throws(WireError) -> Bool {
        switch try token() {
        case .arrayEnd: return false
        case .objectBegin: return true
        default: throw .wrongType(path: path(), expected: .object)
        }
    }

    /// A stretch of the body, as it stands on the wire.
    func bytes(in range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
}

extension StaticString {
    /// Whether the bytes are those of this ASCII string.
    func isSpelled(_ bytes: [UInt8]) -> Bool {
        utf8CodeUnitCount == bytes.count && description.utf8.elementsEqual(bytes)
    }
}

extension String {
    /// The path of a member of the object at this path.
    func member(_ name: StaticString) -> String { isEmpty ? name.description : "\(self).\(name)" }
}
