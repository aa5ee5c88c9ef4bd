/// A key of the table `responses`, which contains responses, then their tags.
///
/// FORMAT.md, "responses".
package enum ResponseKey: Hashable, Sendable {
    /// The key of a ``ResponseRecord``.
    case response(ResponseAddress)
    /// The key of a ``ResponseIndexRecord``: the response has the tag.
    case tag(String, ResponseAddress)

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
        case .response: self = .response(try ResponseAddress(reading: &reader))
        case .tag: self = .tag(try reader.text(), try ResponseAddress(reading: &reader))
        }
        try reader.checkEnd()
    }

    /// The place of the response that this key refers to.
    package var address: ResponseAddress {
        switch self {
        case .response(let address), .tag(_, let address): address
        }
    }

    /// Appends the key.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` for a tag beyond ``Limits/tag``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .response(let address):
            try buffer.append(integer: Kind.response.rawValue)
            try address.append(to: &buffer)
        case .tag(let tag, let address):
            try Limits.check(tag: tag)
            try buffer.append(integer: Kind.tag.rawValue)
            try buffer.append(text: tag)
            try address.append(to: &buffer)
        }
    }

    /// The prefix of the keys of all responses.
    package static let responses = prefix(.response) { _ in }

    /// Returns the prefix of the keys of all responses of one cache key; few others share it.
    package static func responses(of key: String, _ texts: KeyTexts) -> [UInt8] {
        prefix(.response) { writer in
            let place = texts.place(ofCacheKey: key)
            writer.append(text: place.prefix)
            writer.append(integer: place.hash)
        }
    }

    /// Returns the prefix of the keys of all responses whose cache keys begin with `text`; of others too when `text` is
    /// long, and all where keys have no readable texts.
    package static func responses(beginningWith text: String, _ texts: KeyTexts) -> [UInt8] {
        if texts.areHashed { return responses }
        // The terminator is dropped, so that the text may continue.
        return prefix(.response) { $0.append(text: ResponseAddress.keyPrefix(of: text)) }.dropLast()
    }

    /// Returns the prefix of the keys of one tag.
    package static func responses(tagged tag: String, _ texts: KeyTexts) -> [UInt8] {
        prefix(.tag) { $0.append(text: texts.tag(tag)) }
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
        case (.tag(let left, let address), .tag(let right, let other)): left.equalsBytewise(right) && address == other
        default: false
        }
    }

    /// Feeds the parts that `==` compares to `hasher`.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .response: break
        case .tag(let tag, _): tag.hashBytewise(into: &hasher)
        }
        hasher.combine(address)
    }
}
