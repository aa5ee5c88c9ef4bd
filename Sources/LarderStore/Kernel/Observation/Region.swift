public import LarderFormat

/// The changes that an observer is notified of.
///
/// ```swift
/// let counts = store.values(in: .resource(resource)) { view in try view.resource(resource)?.rowCount ?? 0 }
/// for try await count in counts { print(count, "rows") }  // now, and after every change of the resource
/// ```
public enum Region: Hashable, Sendable {
    /// All changes, those of resource metadata included.
    case everything
    /// Rows of any resource of a group.
    case group(String)
    /// Rows of a resource.
    case resource(ResourceKey)
    /// Rows of one type of a resource.
    case type(String, of: ResourceKey)
    /// Rows from the first to the last key, both of one resource.
    case rows(ClosedRange<RowKey>)
    /// One row.
    case row(RowKey)
    /// Entries of the outbox.
    case outbox
    /// The sync state of a filter, by its canonical text.
    case filter(String)
    /// Evictions.
    case evictions
    /// Points of any buffer.
    case buffers
    /// The rows that a collection holds, and any row of its class in the resource they belong to.
    case collection(CollectionName, home: ResourceKey)

    /// Whether `changes` concern this region.
    ///
    /// Changes that are too many to list are matched by their range. A commit of another process concerns every region
    /// but ``evictions``.
    public func intersects(_ changes: ChangeSet) -> Bool {
        if changes.isEverything, self != .evictions { return true }
        return switch self {
        case .everything: !changes.isEmpty
        case .group(let group):
            // Groups are compared byte by byte, as resource keys are.
            changes.replaced.contains { ResourceKey($0.group, 0) == ResourceKey(group, 0) }
                || changes.rows.keys.contains { ResourceKey($0.group, 0) == ResourceKey(group, 0) }
        case .resource(let resource):
            changes.replaced.contains(resource) || changes.rows[resource] != nil
        case .type(let type, let resource):
            changes.replaced.contains(resource) || changes.rows[resource]?.touches(type: type) == true
        case .rows(let range):
            changes.replaced.contains(range.lowerBound.resource)
                || changes.rows[range.lowerBound.resource]?.touches(range) == true
        case .row(let key):
            changes.replaced.contains(key.resource) || changes.rows[key.resource]?.touches(key...key) == true
        case .outbox: !changes.lanes.isEmpty
        case .evictions: !changes.evictions.isEmpty
        case .buffers: !changes.buffers.isEmpty
        case .filter(let filter): changes.filters.contains(filter)
        case .collection(let name, let home):
            changes.collections.contains(name) || Region.type(name.className, of: home).intersects(changes)
        }
    }
}

extension ChangeSet.Rows {
    func touches(_ other: ClosedRange<RowKey>) -> Bool {
        guard range.overlaps(other) else { return false }
        return !isComplete || upserts.contains(where: other.contains) || removals.contains(where: other.contains)
    }

    func touches(type: String) -> Bool {
        let isOfType = { (key: RowKey) in key.type.utf8.elementsEqual(type.utf8) }
        if isComplete { return upserts.contains(where: isOfType) || removals.contains(where: isOfType) }
        // Types are stored one after the other: a range that ends before this one, or begins after it, has none of it.
        let bytes = Array(type.utf8)
        let lower = Array(range.lowerBound.type.utf8)
        let upper = Array(range.upperBound.type.utf8)
        return !bytes.lexicographicallyPrecedes(lower) && !upper.lexicographicallyPrecedes(bytes)
    }
}
