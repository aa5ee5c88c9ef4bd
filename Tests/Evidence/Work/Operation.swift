// Operation: the public operations of a store that the tools exercise, each with the table that shows it was done.

import LarderFormat
import LarderStore

/// A public operation of a store.
enum Operation: String, CaseIterable {
    case sync, enqueue, complete, put, replace, response, collection, point, reclaim, publish, copy, compact, reopen,
        suspend, clear

    /// The table whose content shows that the operation was done; nil where nothing shows it.
    var table: TableName? {
        switch self {
        case .sync: .filters
        case .enqueue, .complete: .outbox
        case .put: .rows
        case .replace, .clear: .resources
        case .response: .responses
        case .collection: .collections
        case .point: .buffers
        case .reclaim, .publish, .copy, .compact, .reopen, .suspend: nil
        }
    }

    /// A random operation; those that copy a whole store are rare.
    static func random(_ random: inout SplitMix64) -> Operation {
        let number = Int.random(in: 0..<100, using: &random)
        switch number {
        case 0..<20: return .sync
        case 20..<42: return .enqueue
        case 42..<52: return .complete
        case 52..<60: return .put
        case 60..<67: return .replace
        case 67..<74: return .response
        case 74..<79: return .collection
        case 79..<84: return .point
        case 84..<88: return .reclaim
        case 88..<90: return .publish
        case 90..<92: return .copy
        case 92..<94: return .compact
        case 94..<97: return .reopen
        case 97..<99: return .suspend
        default: return .clear
        }
    }
}
