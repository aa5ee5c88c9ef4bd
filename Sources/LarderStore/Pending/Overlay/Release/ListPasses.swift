package import LarderFormat
internal import Logging
internal import Synchronization

/// Which lists are being walked, in this process: what their pages say may be older than a write that the server has
/// accepted meanwhile.
///
/// Two processes that share a store do not hear of each other's passes: one of them walks a list and sends the writes over
/// its rows.
final class ListPasses: SharedPart {
    private let underWay = Mutex<[ResourceKey: Int]>([:])

    init(_ file: OpenFile) {}

    /// Whether more than so many passes over the list are under way.
    func isUnderWay(over resource: ResourceKey, besides count: Int) -> Bool {
        underWay.withLock { $0[resource] ?? 0 > count }
    }

    func begin(_ resource: ResourceKey) { underWay.withLock { $0[resource, default: 0] += 1 } }

    func end(_ resource: ResourceKey) {
        underWay.withLock { passes in
            guard let count = passes[resource] else { preconditionFailure("a pass ends once") }
            passes[resource] = count > 1 ? count - 1 : nil
        }
    }
}

extension SharedState {
    /// Which lists are being walked.
    var passes: ListPasses { part(ListPasses.self) }
}

/// One pass over a paged list, from ``Store/beginPass(over:)`` to ``Store/end(_:isWhole:)``.
package struct ListPass: Sendable {
    let resource: ResourceKey
    /// The journal sequence that was next when it began.
    let journalAtBegin: Int64
}

extension Store {
    /// Notes that a pass over a list begins: until it ends, what the server accepts over its rows stays laid over them.
    ///
    /// Every pass that was begun ends with ``end(_:isWhole:)``. Writes nothing.
    package func beginPass(over resource: ResourceKey) throws -> ListPass {
        shared.passes.begin(resource)
        do {
            let next = try read { view in try view.tables.counters(in: view.transaction).nextJournalSequence }
            return ListPass(resource: resource, journalAtBegin: next)
        } catch {
            shared.passes.end(resource)
            throw error
        }
    }

    /// Notes that a pass is over, and releases the local writes that need not lie over its rows any more, in as many
    /// commits as that takes.
    ///
    /// Writes nothing where there are none.
    ///
    /// - Parameter isWhole: whether it went over all of the list.
    package func end(_ pass: ListPass, isWhole: Bool) async {
        do {
            // Not ended before, so that no commit in between takes what the pass has brought for missing.
            defer { shared.passes.end(pass.resource) }
            if try isOverlaid(pass.resource) { try await release(after: pass, isWhole: isWhole) }
        } catch {
            // The end of the next pass, or the next open, finds them.
            return host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
        }
        // What was accepted meanwhile, over rows that were looked at by then.
        guard let order = try? ReleaseOrder(pass.resource), (try? isOverlaid(pass.resource)) == true else { return }
        var orders = ReleaseOrders()
        orders.add(order)
        shared.releaser.add(orders, in: shared)
    }

    private func isOverlaid(_ resource: ResourceKey) throws -> Bool {
        try read { view in try view.hasConfirmedOverlays(of: resource) }
    }

    private func release(after pass: ListPass, isWhole: Bool) async throws {
        var place: ReleasePlace?
        repeat {
            // Not to be skipped because the task was cancelled, so not a write that can be.
            place = try await bulk { [place] transaction in
                try transaction.settle(after: pass, isWhole: isWhole, from: place, most: Releaser.mostRows)
            }
        } while place != nil
    }
}
