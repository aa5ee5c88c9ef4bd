internal import LarderJSON

/// Reads a body that is in memory as a whole, in one pass: a ``JSONReader`` with the errors of the wire.
struct BodyReader: ~Copyable, ~Escapable {
    private let body: Span<UInt8>
    private var reader: JSONReader

    @_lifetime(copy body)
    init(_ body: Span<UInt8>) {
        self.body = body
        reader = JSONReader(body)
    }

    /// Behind the last token.
    var position: Int { reader.position }

    /// The next token, which must come.
    mutating func token() throws(WireError) -> JSONToken {
        do throws(JSONError) {
            return try reader.token()
        } catch {
            throw .json(error)
        }
    }

    /// The value that begins with `token`, the last one.
    mutating func value(of token: JSONToken) throws(WireError) -> JSONValue {
        do throws(JSONError) {
            return try reader.value(of: token)
        } catch {
            throw .json(error)
        }
    }

    /// Checks the next value and keeps nothing of it.
    mutating func skipValue() throws(WireError) {
        do throws(JSONError) {
            _ = try reader.skipValue()
        } catch {
            throw .json(error)
        }
    }

    /// Checks that nothing follows.
    mutating func finish() throws(WireError) {
        do throws(JSONError) {
            try reader.finish()
        } catch {
            throw .json(error)
        }
    }

    /// A stretch of the body, as it stands on the wire.
    func bytes(in range: Range<Int>) -> [UInt8] { [UInt8](copying: body.extracting(range)) }
}

extension BodyReader {
    /// The value whose first token is next.
    mutating func value() throws(WireError) -> JSONValue { try value(of: token()) }

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

    /// Advances to the next member of an object just begun that has one of `names`, and answers which; `nil` where the
    /// object ends. Members in front of it are checked and skipped.
    mutating func member(of names: [[UInt8]]) throws(WireError) -> Int? {
        while try token() == .name {
            if let place = reader.place(in: names) { return place }
            try skipValue()
        }
        return nil
    }

    /// The rest of an object just begun: the values of the named members, `nil` for those that are absent.
    ///
    /// - Throws: ``WireError/duplicate(path:)`` when a named member stands twice.
    mutating func members(_ names: [[UInt8]], path: @autoclosure () -> String) throws(WireError) -> [JSONValue?] {
        var values = [JSONValue?](repeating: nil, count: names.count)
        while let place = try member(of: names) {
            guard values[place] == nil else { throw .duplicate(path: path().member(names[place])) }
            values[place] = try value()
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
}

extension String {
    /// The path of a member of the object at this path.
    func member(_ name: [UInt8]) -> String { (isEmpty ? "" : self + ".") + String(decoding: name, as: UTF8.self) }
}
