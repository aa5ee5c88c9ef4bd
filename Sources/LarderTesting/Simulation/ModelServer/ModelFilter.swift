/// What a request asks for, in canonical form.
///
/// Groups in the order of their bytes, ids as numbers and once each, `*` in place of any ids beside it. Written apart
/// from the client's own, so that both have to be right.
package struct ModelFilter: Hashable, Sendable {
    /// The canonical text.
    package let text: String
    /// Sorted ids of each group; none stand for all.
    private let scopes: [String: [Int64]]

    /// Parses `group:*` and `group:id,id`, joined by `;`; `nil` for anything else.
    package init?(_ text: String) {
        var scopes: [String: [Int64]] = [:]
        for part in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            guard let colon = part.firstIndex(of: UInt8(ascii: ":")), Self.isGroup(part[..<colon]) else { return nil }
            var ids: [Int64] = []
            var isWhole = false
            for item in part[colon...].dropFirst().split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            {
                if item.elementsEqual("*".utf8) {
                    isWhole = true
                } else {
                    guard let id = Self.id(item) else { return nil }
                    ids.append(id)
                }
            }
            let group = String(Substring(part[..<colon]))
            if isWhole || scopes[group]?.isEmpty == true {
                scopes[group] = []
            } else {
                scopes[group, default: []] += ids
            }
        }
        self.scopes = scopes.mapValues { Set($0).sorted() }
        self.text = Self.canonical(self.scopes)
    }

    /// Whether the filter asks for a resource.
    package func covers(_ resource: ModelServer.ResourceID) -> Bool {
        guard let ids = scopes[resource.group] else { return false }
        return ids.isEmpty || ids.contains(resource.id)
    }

    /// What stands for the filter in tokens.
    var hash: UInt64 { HistoryTrace.hash(of: text.utf8) }

    static func isGroup(_ text: Substring.UTF8View) -> Bool { !text.isEmpty && text.allSatisfy(isNameByte) }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func id(_ text: Substring.UTF8View) -> Int64? {
        guard let first = text.first, first != UInt8(ascii: "0"), text.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(Substring(text))
    }

    private static func canonical(_ scopes: [String: [Int64]]) -> String {
        var text = ""
        for (group, ids) in scopes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if !text.isEmpty { text += ";" }
            text += group
            text += ":"
            if ids.isEmpty { text += "*" }
            for (index, id) in ids.enumerated() {
                if index > 0 { text += "," }
                text += String(id)
            }
        }
        return text
    }
}
