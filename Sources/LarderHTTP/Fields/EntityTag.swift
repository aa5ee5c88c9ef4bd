/// An entity tag. RFC 9110 §8.8.3.
///
/// An unquoted value, as some servers send it, is a weak tag as a whole. It is compared byte for byte and sent back
/// unchanged, and never proves that two parts belong together.
package struct EntityTag: Hashable, Sendable {
    /// Whether it identifies equivalent content rather than identical bytes.
    package var isWeak: Bool
    /// Its opaque part, with the quotes.
    package var opaque: [UInt8]
    /// The tag as it was received.
    package var text: [UInt8]

    /// Parses an `ETag` value; nil when it is empty.
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

    /// Whether both identify equivalent content. RFC 9110 §8.8.3.2.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both identify the same bytes. RFC 9110 §8.8.3.2.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    private static func isQuoted(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}

/// The value of `If-None-Match` or `If-Match`. RFC 9110 §13.1.1, §13.1.2.
package enum EntityTagList: Hashable, Sendable {
    /// `*`: any representation.
    case any
    /// These tags, in their order.
    case tags([EntityTag])

    /// Parses a combined value. A member that is no tag becomes a weak tag of its bytes.
    package init(_ bytes: [UInt8]) {
        if FieldScanner.trimmed(bytes) == [0x2A] {
            self = .any
            return
        }
        var scanner = FieldScanner(bytes)
        var tags: [EntityTag] = []
        while scanner.skipToMember() {
            var member = scanner.read { $0 != 0x2C && $0 != 0x22 }
            if scanner.consume(0x22) {
                // A backslash is no escape in a tag.
                member.append(0x22)
                member += scanner.read { $0 != 0x22 }
                if scanner.consume(0x22) { member.append(0x22) }
                member += scanner.read { $0 != 0x2C }
            }
            if let tag = EntityTag(Array(member)) { tags.append(tag) }
        }
        self = .tags(tags)
    }

    /// Whether the list matches a representation with `tag`, compared weakly; nil is a representation without a tag.
    package func matches(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tag.map { tag in tags.contains { $0.matchesWeakly(tag) } } ?? false
        }
    }
}
