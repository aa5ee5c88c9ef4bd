internal import LarderJSON

/// A reader of a body in memory, in one pass: a ``JSONReader`` that throws ``WireError``.
struct BodyReader: ~Copyable, ~Escapable {
    private let body: Span<UInt8>
    private var reader: JSONReader

    @_lifetime(copy body)
    init(_ body: Span<UInt8>) {
        self.body = body
        reader = JSONReader(body)
    }

    /// The position after the last token.
    var position: Int { reader.position }

    /// Returns the next token, which must exist.
    mutating func token() throws(WireError) -> JSONToken {
        do throws(JSONError) {
            return try reader.token()
        } catch {
            throw .json(error)
        }
    }

    /// Returns the value that begins with `token`, the last one.
    mutating func value(of token: JSONToken) throws(WireError) -> JSONValue {
        do throws(JSONError) {
            return try reader.value(of: token)
        } catch {
            throw .json(error)
        }
    }

    /// Checks and skips the next value.
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

    /// Returns a part of the body, as it is on the wire.
    func bytes(in range: Range<Int>) -> [UInt8] { [UInt8](copying: body.extracting(range)) }
}

extension BodyReader {
    /// Returns the value whose first token is next.
    mutating func value() throws(WireError) -> JSONValue { try value(of: token()) }

    /// Reads the brace that begins an object.
    mutating func beginObject(path: @autoclosure () -> String) throws(WireError) {
        guard try token() == .objectBegin else { throw .wrongType(path: path(), expected: .object) }
    }

    /// Reads the bracket that begins an array.
    mutating func beginArray(path: @autoclosure () -> String) throws(WireError) {
        let token = try token()
        if token == .null { throw .missing(path: path()) }
        guard token == .arrayBegin else { throw .wrongType(path: path(), expected: .array) }
    }

    /// Advances to the next member of an object just begun that has one of `names`, and returns the index of the name;
    /// `nil` where the object ends. Members in front of it are checked and skipped.
    mutating func member(of names: [[UInt8]]) throws(WireError) -> Int? {
        while try token() == .name {
            if let place = reader.place(in: names) { return place }
            try skipValue()
        }
        return nil
    }

    /// Returns the values of the named members in the rest of an object just begun, `nil` for those that are absent.
    ///
    /// - Throws: ``WireError/duplicate(path:)`` when a named member occurs twice.
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
    /// Returns the path of a member of the object at this path.
    func member(_ name: [UInt8]) -> String { (isEmpty ? "" : self + ".") + String(decoding: name, as: UTF8.self) }
}
