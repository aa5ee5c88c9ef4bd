internal import LarderFormat

/// Overlays that are to be looked at, as some may be released.
struct ReleaseOrder: Hashable, Sendable {
    /// What is looked at.
    struct Scope: Hashable, Sendable {
        /// What the keys of what readers see begin with: those of one resource, or of all.
        var prefix: [UInt8]
        /// Whether the host has removed the last filter that had it as member.
        var isRemoval = false
        /// Whether another process may be walking a list beneath them.
        var isBesideOthers = false
    }

    let scope: Scope
    /// The key to begin at.
    var start: [UInt8]

    /// All there are.
    static let everything = ReleaseOrder(Scope(prefix: OverlayKey.shownPrefix))

    /// All there are, while another process has the store open.
    static let everythingBesideOthers = ReleaseOrder(
        Scope(prefix: OverlayKey.shownPrefix, isBesideOthers: true))

    /// All of one scope.
    init(_ scope: Scope) {
        self.scope = scope
        start = scope.prefix
    }

    /// Those of a resource.
    init(_ resource: ResourceKey, isRemoval: Bool = false) throws(StoreError) {
        let prefix = try Transaction.key { try $0.append(resource: resource) }
        self.init(Scope(prefix: prefix, isRemoval: isRemoval))
    }

    var occasion: ReleaseOccasion {
        if scope.isRemoval { return .removal }
        return scope.isBesideOthers ? .openBesideOthers : .change
    }
}

/// What is to be looked at, no scope twice.
struct ReleaseOrders: Sendable {
    private var starts: [ReleaseOrder.Scope: [UInt8]] = [:]

    var isEmpty: Bool { starts.isEmpty }

    /// Adds an order; of two of one scope the one that begins earlier contains the other.
    mutating func add(_ order: ReleaseOrder) {
        if let start = starts[order.scope], !order.start.rawSpan.lexicographicallyPrecedes(start.rawSpan) { return }
        starts[order.scope] = order.start
    }

    mutating func add(_ others: ReleaseOrders) {
        for (scope, start) in others.starts {
            var order = ReleaseOrder(scope)
            order.start = start
            add(order)
        }
    }

    /// Takes one out: the same wherever the same were added.
    mutating func popFirst() -> ReleaseOrder? {
        let first = starts.keys.min { left, right in
            // What a removal means is known in this process only.
            if left.isRemoval != right.isRemoval { return left.isRemoval }
            if left.isBesideOthers != right.isBesideOthers { return left.isBesideOthers }
            return left.prefix.rawSpan.lexicographicallyPrecedes(right.prefix.rawSpan)
        }
        guard let first, let start = starts.removeValue(forKey: first) else { return nil }
        var order = ReleaseOrder(first)
        order.start = start
        return order
    }
}
