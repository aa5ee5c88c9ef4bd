internal import LarderFormat

/// An order to check overlays, some of which may be released.
struct ReleaseOrder: Hashable, Sendable {
    /// The overlays to check.
    struct Scope: Hashable, Sendable {
        /// The prefix of the keys of the rows to check: that of one resource, or of all.
        var prefix: [UInt8]
        /// Whether the host has removed the last filter that had the resource as a member.
        var isRemoval = false
        /// Whether another process may be in a pass over a list of these rows.
        var hasOtherProcesses = false
    }

    let scope: Scope
    /// The key to begin at.
    var start: [UInt8]

    /// An order for all overlays.
    static let everything = ReleaseOrder(Scope(prefix: OverlayKey.resultPrefix))

    /// An order for all overlays, while another process has the store open.
    static let everythingWithOtherProcesses = ReleaseOrder(
        Scope(prefix: OverlayKey.resultPrefix, hasOtherProcesses: true))

    /// An order for all overlays of one scope.
    init(_ scope: Scope) {
        self.scope = scope
        start = scope.prefix
    }

    /// An order for the overlays of a resource.
    init(_ resource: ResourceKey, isRemoval: Bool = false) throws(StoreError) {
        let prefix = try Transaction.key { try $0.append(resource: resource) }
        self.init(Scope(prefix: prefix, isRemoval: isRemoval))
    }

    var trigger: ReleaseTrigger {
        if scope.isRemoval { return .removal }
        return scope.hasOtherProcesses ? .openWithOtherProcesses : .change
    }
}

/// The orders that wait to be carried out, at most one for each scope.
struct ReleaseOrders: Sendable {
    private var starts: [ReleaseOrder.Scope: [UInt8]] = [:]

    var isEmpty: Bool { starts.isEmpty }

    /// Adds an order. Of two orders with one scope it keeps the one that begins earlier, which contains the other.
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

    /// Removes and returns the first order, in an order that does not depend on the insertions.
    mutating func popFirst() -> ReleaseOrder? {
        let first = starts.keys.min { left, right in
            // Removals come first: only this process knows of them.
            if left.isRemoval != right.isRemoval { return left.isRemoval }
            if left.hasOtherProcesses != right.hasOtherProcesses { return left.hasOtherProcesses }
            return left.prefix.rawSpan.lexicographicallyPrecedes(right.prefix.rawSpan)
        }
        guard let first, let start = starts.removeValue(forKey: first) else { return nil }
        var order = ReleaseOrder(first)
        order.start = start
        return order
    }
}
