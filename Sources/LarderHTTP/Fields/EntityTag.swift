/// An entity tag. RFC 9110 §8.8.3.
///
/// A value that is not quoted, as some servers send it, is taken whole as a weak tag: it is compared byte for byte and
/// sent back as it came, and never proves that two parts belong together.
package struct EntityTag: Hashable, Sendable {
    /// Whether it stands for what means the same, not for the same bytes.
    package var isWeak: Bool
    /// Its opaque part, with the quotes.
    package var opaque: [UInt8]
    /// As it came.
    package var text: [UInt8]

    /// The tag of an `ETag` value; nil when it is empty.
    package init?(_ bytes: [UInt8]) {
        text = FieldScanner.trimmed(bytes)
        guard !text.isEmpty else { return nil }
        let isPrefixed = text.starts(with: [0x57, 0x2F])
        let quoted = isPrefixed ? Array(text[2...]) : text
        if Self.isQuoted(quoted) {
            isWeak = isPrefixed
            opaque = quoted
        } else {
            isWeak = true
            opaque = text
        }
    }

    /// Whether both stand for the same, at least in meaning. RFC 9110 §8.8.3.2.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both stand for the same bytes. RFC 9110 §8.8.3.2.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    private static func isQuoted(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}

/// What `If-None-Match` and `If-Match` name. RFC 9110 §13.1.1, §13.1.2.
package enum EntityTagList: Hashable, Sendable {
    /// `*`: whatever there is.
    case any
    /// These tags, in their order.
    case tags([EntityTag])

    /// The list of a combined value. Members that are no tags are taken as weak ones of their bytes.
    package init(_ bytes: [UInt8]) {
        if FieldScanner.trimmed(bytes) == [0x2A] {
            self = .any
            return
        }
        var scanner = FieldScanner(bytes)
        var tags: [EntityTag] = []
        while scanner.skipToMember() {
            var member = scanner.run { $0 != 0x2C && $0 != 0x22 }
            if scanner.take(0x22) {
                // A backslash is no escape in a tag.
                member += [0x22] + scanner.run { $0 != 0x22 }
                if scanner.take(0x22) { member.append(0x22) }
                member += scanner.run { $0 != 0x2C }
            }
            if let tag = EntityTag(member) { tags.append(tag) }
        }
        self = .tags(tags)
    }

    /// Whether a representation with `tag` (nil: without one) is named, compared weakly.
    package func names(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tag.map { tag in tags.contains { $0.matchesWeakly(tag) } } ?? false
        }
    }
}
