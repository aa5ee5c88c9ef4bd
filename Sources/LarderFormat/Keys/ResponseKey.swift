/// A key of the table `responses`, which contains responses, then their tags.
///
/// FORMAT.md, "responses".
package enum ResponseKey: Hashable, Sendable {
    /// The key of a ``ResponseRecord``.
    case response(ResponsePlace)
    /// The key of a ``ResponseIndexRecord``: the response has the tag.
    case tag(String, ResponsePlace)

    private enum Kind: Int64 {
        case response = 0
        case tag = 1
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown kind or a negative variant,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch try reader.state("kind", as: Kind.self) {
        case .response: self = .response(try ResponsePlace(reading: &reader))
        case .tag: self = .tag(try reader.text(), try ResponsePlace(reading: &reader))
        }
        try reader.end()
    }

    /// The place of the response that this key refers to.
    package var place: ResponsePlace {
        switch self {
        case .response(let place), .tag(_, let place): place
        }
    }

    /// Appends the key.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` for a tag beyond ``Limits/tag``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .response(let place):
            try buffer.append(integer: Kind.response.rawValue)
            try place.append(to: &buffer)
        case .tag(let tag, let place):
            try Limits.check(tag: tag)
            try buffer.append(integer: Kind.tag.rawValue)
            try buffer.append(text: tag)
            try place.append(to: &buffer)
        }
    }

    /// The prefix of the keys of all responses.
    package static let responses = prefix(.response) { _ in }

    /// Returns the prefix of the keys of all responses of one cache key; few others share it.
    package static func responses(of key: String) -> [UInt8] {
        prefix(.response) { writer in
            writer.append(text: ResponsePlace.cut(key))
            writer.append(integer: ResponsePlace.hash(of: key))
        }
    }

    /// Returns the prefix of the keys of all responses whose cache keys begin with `text`; of others too when `text` is
    /// long.
    package static func responses(beginningWith text: String) -> [UInt8] {
        // The terminator is dropped, so that the text may continue.
        prefix(.response) { $0.append(text: ResponsePlace.cut(text)) }.dropLast()
    }

    /// Returns the prefix of the keys of one tag.
    package static func responses(tagged tag: String) -> [UInt8] {
        prefix(.tag) { $0.append(text: tag) }
    }

    private static func prefix(_ kind: Kind, _ more: (inout TupleWriter) -> Void) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        more(&writer)
        return writer.bytes
    }

    /// Whether both are encoded to the same bytes.
    package static func == (left: ResponseKey, right: ResponseKey) -> Bool {
        switch (left, right) {
        case (.response(let left), .response(let right)): left == right
        case (.tag(let left, let place), .tag(let right, let other)): left.equalsBytewise(right) && place == other
        default: false
        }
    }

    /// Feeds the parts that `==` compares to `hasher`.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .response: break
        case .tag(let tag, _): tag.hashBytewise(into: &hasher)
        }
        hasher.combine(place)
    }
}
