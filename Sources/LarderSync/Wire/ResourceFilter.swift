public import LarderFormat

/// A filter that names the resources of a sync run: whole groups, or single resources of them.
///
/// The text is `group:*` or `group:id,id`, several joined by `;`, as in `tafsirs:*;translations:1,19`. Two texts that
/// name the same resources yield equal filters and one canonical ``description``. In it, groups are merged and in the
/// order of their UTF-8 bytes, ids are in numerical order without repetition, and `*` replaces any ids beside it. Unicode
/// is not normalised: groups are equal when their bytes are.
///
/// ```swift
/// let filter = ResourceFilter("translations:20,19;recitations:*")  // two resources, and a whole group
/// print(filter)  // recitations:*;translations:19,20
/// print(filter.matches(group: "recitations", id: 7))  // true
/// ```
public struct ResourceFilter: Hashable, Sendable {
    /// The reason a text is not a filter.
    public enum Fault: Error, Hashable, Sendable {
        /// The text is empty, or nothing is between two `;`, or at an end.
        case emptyItem
        /// An item has no `:`, or nothing in front of it.
        case missingGroup
        /// Nothing follows the `:`, or nothing is between two `,`, or after the last.
        case missingID
        /// A group holds white space, a control character, or one of `: ; , *`.
        case invalidGroup
        /// An id is not a decimal number from 1 to 2⁶³ − 1 without sign and leading zero.
        case invalidID
    }

    /// The ids of each group; empty for all of it.
    private let scopes: [[UInt8]: Set<Int64>]

    /// Parses `text`, which need not be canonical.
    ///
    /// - Throws: the first ``Fault`` found.
    /// - Complexity: O(*n*) for *n* bytes.
    public init(_ text: String) throws(Fault) {
        var found: [[UInt8]: Set<Int64>] = [:]
        var whole: Set<[UInt8]> = []
        for item in Array(text.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let (group, ids) = try Self.parseItem(item)
            if ids.isEmpty { whole.insert(group) }
            found[group, default: []].formUnion(ids)
        }
        for group in whole { found[group] = [] }
        scopes = found
    }

    /// Whether the filter covers a resource.
    ///
    /// - Complexity: O(1).
    public func matches(group: String, id: Int64) -> Bool {
        guard let ids = scopes[Array(group.utf8)] else { return false }
        return ids.isEmpty || ids.contains(id)
    }

    /// The resources that the filter names by their ids, in the order of its ``description``.
    public var namedResources: [ResourceKey] {
        scopes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { group, ids in
            ids.sorted().map { ResourceKey(String(decoding: group, as: UTF8.self), $0) }
        }
    }

    /// Parses one `group:*` or `group:id,id`; no ids means all of them.
    private static func parseItem(_ parseItem: ArraySlice<UInt8>) throws(Fault) -> (group: [UInt8], ids: [Int64]) {
        guard !parseItem.isEmpty else { throw .emptyItem }
        guard let colon = parseItem.firstIndex(of: UInt8(ascii: ":")), colon > parseItem.startIndex else {
            throw .missingGroup
        }
        let group = Array(parseItem[..<colon])
        guard isGroup(group) else { throw .invalidGroup }
        let list = parseItem[colon...].dropFirst()
        if list.elementsEqual("*".utf8) { return (group, []) }
        var ids: [Int64] = []
        for part in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let first = part.first else { throw .missingID }
            guard first != UInt8(ascii: "0"), part.allSatisfy({ (0x30...0x39).contains($0) }),
                let id = Int64(String(decoding: part, as: UTF8.self))
            else { throw .invalidID }
            ids.append(id)
        }
        return (group, ids)
    }

    private static func isGroup(_ group: [UInt8]) -> Bool {
        String(decoding: group, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
                && !":;,*".unicodeScalars.contains(scalar)
        }
    }
}

extension ResourceFilter: CustomStringConvertible {
    /// The canonical text; parsing it yields an equal filter.
    public var description: String {
        scopes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { group, ids in
            let list = ids.isEmpty ? "*" : ids.sorted().map(String.init).joined(separator: ",")
            return "\(String(decoding: group, as: UTF8.self)):\(list)"
        }.joined(separator: ";")
    }
}

extension ResourceFilter.Fault: CustomStringConvertible {
    /// A description in one line, without any of the text.
    public var description: String {
        switch self {
        case .emptyItem: "a resource filter has an empty item"
        case .missingGroup: "an item of a resource filter has no group"
        case .missingID: "an item of a resource filter has no id"
        case .invalidGroup: "a group of a resource filter holds a character that it may not"
        case .invalidID: "an id of a resource filter is not a decimal number from 1 on"
        }
    }
}

extension ResourceFilter: ExpressibleByStringLiteral {
    /// Names resources in the program: `"translations:*;tafsirs:1,2"`.
    ///
    /// - Precondition: The text is a filter; for text from outside there is ``init(_:)``.
    public init(stringLiteral text: String) {
        do throws(Fault) {
            self = try ResourceFilter(text)
        } catch {
            preconditionFailure("\(text) is no filter: \(error)")
        }
    }
}
