// WorldCommand: one thing that happens on the server.

import LarderFormat
import LarderServer

/// One thing that happens on the server.
enum WorldCommand: Sendable {
    case create(World.Content)
    case replace(World.Content)
    case put(World.Content, key: Int)
    case delete(World.Content, key: Int)
    case hide(World.Content)
    case publish(World.Content)
    case touch(World.Content)
    case invalidateTokens

    /// Deletions stay among the rows that every replacement has, also one without most of its rows.
    static let deletableKeys = 8

    /// The resource of which all rows become new.
    var replaced: ResourceKey? {
        switch self {
        case .create(let content), .replace(let content): content.key
        default: nil
        }
    }

    /// Does it; the version of every row it makes is `number`.
    ///
    /// - Returns: the number of the change; nil when there is none.
    func apply(to origin: Origin, number: Int, isWhole: Bool) throws -> Int64? {
        switch self {
        case .create(let content):
            return try origin.createResource(content.id, rows: rows(content, number, isWhole))
        case .replace(let content):
            return try origin.replaceRows(of: content.id, with: rows(content, number, isWhole))
        case .put(let content, let key):
            return try origin.putRow(content.row(key, version: number), in: content.id)
        case .delete(let content, let key):
            return try origin.deleteRow(Origin.RowKey(content.type, String(key)), in: content.id)
        case .hide(let content): return try origin.hideResource(content.id)
        case .publish(let content): return try origin.publishResource(content.id)
        case .touch(let content): return try origin.touchResource(content.id)
        case .invalidateTokens:
            origin.invalidateTokens()
            return nil
        }
    }

    private func rows(_ content: World.Content, _ number: Int, _ isWhole: Bool) -> [Origin.Row] {
        (1...(isWhole ? content.count : Self.deletableKeys)).map { content.row($0, version: number) }
    }
}

extension World.Content {
    var id: Origin.ResourceID { Origin.ResourceID(key.group, key.id) }

    func row(_ number: Int, version: Int) -> Origin.Row {
        Origin.Row(type: type, key: String(number), RowText.body(key, number, version: version))
    }
}
