internal import LarderFormat

/// A class of changes by which the subscriptions that a commit may concern are found.
///
/// Each region has topics, and a change of it has at least one of them.
enum Topic: Hashable {
    /// Any change.
    case everything
    /// Rows of a resource.
    case resource(ResourceKey)
    /// Rows of a group, as the resource 0 of it: keys are compared byte by byte, texts are not.
    case group(ResourceKey)
    /// The sync state of a filter.
    case filter(String)
    case outbox, evictions, buffers, collections
}

extension Region {
    var topics: [Topic] {
        switch self {
        case .everything: [.everything]
        case .group(let group): [.group(ResourceKey(group, 0))]
        case .resource(let resource), .type(_, let resource): [.resource(resource)]
        case .rows(let range): [.resource(range.lowerBound.resource)]
        case .row(let key): [.resource(key.resource)]
        case .outbox: [.outbox]
        case .filter(let filter): [.filter(filter)]
        case .evictions: [.evictions]
        case .buffers: [.buffers]
        case .collection(_, let home): [.collections, .resource(home)]
        }
    }
}

extension ChangeSet {
    /// The topics of the changes, which are listed; some may be named twice.
    var topics: [Topic] {
        var topics: [Topic] = [.everything]
        for resource in replaced.union(rows.keys) {
            topics += [.resource(resource), .group(ResourceKey(resource.group, 0))]
        }
        topics += filters.map { .filter($0) }
        if !lanes.isEmpty { topics.append(.outbox) }
        if !evictions.isEmpty { topics.append(.evictions) }
        if !buffers.isEmpty { topics.append(.buffers) }
        if !collections.isEmpty { topics.append(.collections) }
        return topics
    }
}
