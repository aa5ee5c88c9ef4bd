// SimulatedNetwork+MixUp: which recorded responses may be delivered for another request.

extension SimulatedNetwork.RecordedExchange {
    /// Whether this answer, given to `wanted` by mistake, either shows itself or does no harm.
    func isUsableAsFallback(for wanted: ModelRequest) -> Bool {
        if request.isCopy != wanted.isCopy { return true }
        // The snapshot of another resource names that resource; of the same one it is merely old.
        guard let filter = wanted.filter, let old = request.filter else { return true }
        // A client looks through a page before it applies any of it.
        if answer.mentioned.contains(where: { !filter.covers($0) }) { return true }
        guard filter == old else { return false }
        switch (request.kind, wanted.kind) {
        case (.bootstrap, .bootstrap): return true
        case (.changes(let before?), .changes(let now?)):
            // It begins no later, so nothing is left out; what it adds is known or comes again.
            return before.sequence <= now.sequence
        case (.cursor(let before), .cursor(let now)):
            // An earlier page of the same run: out of order, or once more the same.
            return before.isBootstrap == now.isBootstrap && before.bound == now.bound && before.position <= now.position
        default: return false
        }
    }
}
