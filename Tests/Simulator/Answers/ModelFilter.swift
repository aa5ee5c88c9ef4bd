// ModelFilter: a filter in canonical form, written independently of the client's.

/// What a request asks for, in canonical form.
///
/// Groups in the order of their bytes, ids as numbers and once each, `*` in place of any ids beside it. Written apart
/// from the client's own, so that both have to be right.
package struct ModelFilter: Hashable, Sendable {
    /// The canonical text.
    package let text: String
    private let scopes: [Scope]

    private struct Scope: Hashable {
        let group: String
        /// Sorted, once each; none stand for all.
        var ids: [Int64]
    }

    /// Parses `group:*` and `group:id,id`, joined by `;`; `nil` for anything else.
    package init?(_ text: String) {
        var scopes: [Scope] = []
        for part in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            guard let scope = Self.scope(part) else { return nil }
            if let place = scopes.firstIndex(where: { $0.group == scope.group }) {
                let isWhole = scope.ids.isEmpty || scopes[place].ids.isEmpty
                scopes[place].ids = isWhole ? [] : Set(scopes[place].ids + scope.ids).sorted()
            } else {
                scopes.append(scope)
            }
        }
        scopes.sort { $0.group < $1.group }
        self.scopes = scopes
        self.text = Self.canonical(scopes)
    }

    /// Whether the filter asks for a resource.
    package func covers(_ resource: ModelServer.ResourceID) -> Bool {
        guard let scope = scopes.first(where: { $0.group == resource.group }) else { return false }
        return scope.ids.isEmpty || scope.ids.contains(resource.id)
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

    private static func scope(_ part: Substring.UTF8View) -> Scope? {
        guard let colon = part.firstIndex(of: UInt8(ascii: ":")), isGroup(part[..<colon]) else { return nil }
        let list = part[part.index(after: colon)...]
        let group = String(Substring(part[..<colon]))
        var ids: [Int64] = []
        var isWhole = false
        for item in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            if item.elementsEqual("*".utf8) {
                isWhole = true
            } else {
                guard let id = id(item) else { return nil }
                if !ids.contains(id) { ids.append(id) }
            }
        }
        return Scope(group: group, ids: isWhole ? [] : ids.sorted())
    }

    private static func canonical(_ scopes: [Scope]) -> String {
        var text = ""
        for scope in scopes {
            if !text.isEmpty { text += ";" }
            text += scope.group
            text += scope.ids.isEmpty ? ":*" : ":"
            for (index, id) in scope.ids.enumerated() {
                if index > 0 { text += "," }
                text += String(id)
            }
        }
        return text
    }
}
