internal import LarderFormat
internal import LarderStore
internal import Logging

extension SyncRun {
    /// Applies the changes of a page in their order: those of rows in one commit, full copies between them.
    func apply(_ page: SyncPage, _ run: FilterRun, pageNumber: Int, _ result: inout SyncReport) async throws {
        var rest = page.mutations[...]
        while let first = rest.first {
            let isCopy = first.type.needsFullCopy
            let segment = Array(rest.prefix { $0.type.needsFullCopy == isCopy })
            rest = rest.dropFirst(segment.count)
            if isCopy {
                try await applyFullCopies(segment, run, page.syncUntilSequence, &result)
            } else {
                try await applyChanges(segment, run, &result)
            }
        }
        if run.kind == .bootstrap {
            try await store.write { transaction in
                try transaction.check(run)
                try transaction.updateFilter(run.canonicalText) { $0.pagesDone = Int64(pageNumber) }
            }
        }
    }

    private func applyChanges(_ changes: [Mutation], _ run: FilterRun, _ result: inout SyncReport) async throws {
        let applied = try await store.write { transaction in try transaction.apply(changes, run) }
        result.rowsChanged += applied.rowsChanged
        for event in applied.events {
            switch event {
            case .hidden: result.hidden += 1
            case .unknownMutation(let type, _):
                result.unknownMutations += 1
                store.host.logger.warning("passed over a change of unknown type", metadata: ["type": "\(type)"])
            default: break
            }
            report(event)
        }
    }

    /// Fetches the full copies that some changes ask for, several at a time, each resource once.
    private func applyFullCopies(
        _ changes: [Mutation], _ run: FilterRun, _ bound: Int64, _ result: inout SyncReport
    ) async throws {
        var latest: [ResourceKey: Mutation] = [:]
        var order: [ResourceKey] = []
        for change in changes {
            let resource = ResourceKey(change.resource.group, change.resource.id)
            if latest.updateValue(change, forKey: resource) == nil { order.append(resource) }
        }
        let listed = order
        try await store.write { transaction in try transaction.list(listed, run) }
        let orders = try store.read { view in
            try listed.compactMap { resource in
                try latest[resource].flatMap { try self.order(for: $0, resource, run, bound, view) }
            }
        }
        try await fetchAll(orders, &result)
    }

    /// What to fetch for a change, or nil when the rows here contain it already.
    private func order(
        for change: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ bound: Int64, _ view: borrowing ReadView
    ) throws -> FullCopyOrder? {
        let known = try view.resource(resource)
        let floor = known?.floor ?? 0
        let isDone = try view.member(ofFilter: run.number, resource)?.finishedInRun == run.run
        if run.kind == .bootstrap {
            // Finished by this bootstrap before it was interrupted, and still as new as it has to be.
            if isDone, known?.state == .ready, floor >= bound { return nil }
        } else if change.sequence <= floor, known?.state != .empty {
            // A resource without a copy needs one whatever its floor: it was swept, or never came.
            return nil
        }
        let rule = FullCopyRule(
            changeSequence: change.sequence, bootstrapBound: run.kind == .bootstrap ? bound : nil,
            mayLowerFloor: run.kind == .bootstrap && run.isRejected && !isDone)
        return FullCopyOrder(
            resource: resource, path: try Self.path(change.snapshotURL ?? "", .fullCopy), rule: rule,
            knownFloor: floor, run: run, changedAt: change.changedAt)
    }

    /// Fetches `orders`, at most so many at a time as the configuration allows. The first failure ends the others.
    private func fetchAll(_ orders: [FullCopyOrder], _ result: inout SyncReport) async throws {
        try await withThrowingTaskGroup(of: FullCopyResult.self) { group in
            var waiting = orders[...]
            for order in waiting.prefix(configuration.concurrentFullCopies) {
                group.addTask { try await self.replace(order) }
            }
            waiting = waiting.dropFirst(configuration.concurrentFullCopies)
            while let done = try await group.next() {
                switch done {
                case .swapped(let rows, let bytes):
                    result.fullCopies += 1
                    result.rowsCopied += rows
                    result.bytesCopied += bytes
                case .hidden: result.hidden += 1
                case .left: break
                }
                if let order = waiting.popFirst() { group.addTask { try await self.replace(order) } }
            }
        }
    }
}
