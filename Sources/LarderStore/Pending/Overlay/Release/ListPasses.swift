package import LarderFormat
internal import Logging
internal import Synchronization

/// The passes over lists that are under way in this process.
///
/// The pages of such a pass may be older than a write that the server has accepted meanwhile. Processes that share a
/// store do not know of each other's passes: the process that reads a list has to send the writes over its rows.
final class ListPasses: SharedPart {
    private let underWay = Mutex<[ResourceKey: Int]>([:])

    init(_ file: FileContext) {}

    /// Returns whether more than `count` passes over the list are under way.
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
    /// The passes over lists that are under way.
    var passes: ListPasses { part(ListPasses.self) }
}

/// One pass over a paged list, from ``Store/beginPass(over:)`` to ``Store/endPass(_:isComplete:)``.
package struct ListPass: Sendable {
    let resource: ResourceKey
    /// The journal sequence that was next when it began.
    let journalAtBegin: Int64
}

extension Store {
    /// Records that a pass over a list begins. Until it ends, the overlays of writes that the server accepts stay over
    /// its rows.
    ///
    /// Every pass has to be ended with ``endPass(_:isComplete:)``. Writes nothing to the store.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when the counters are damaged; ``EngineError``.
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

    /// Records that a pass has ended, and releases the overlays that need not stay, in as many commits as necessary.
    ///
    /// Writes nothing where its rows have no confirmed overlays.
    ///
    /// - Parameter isComplete: whether the pass read all of the list.
    package func endPass(_ pass: ListPass, isComplete: Bool) async {
        do {
            // The pass ends only afterwards, so that no commit in between treats the rows it delivered as missing.
            defer { shared.passes.end(pass.resource) }
            if try isOverlaid(pass.resource) { try await releaseOverlays(after: pass, isComplete: isComplete) }
        } catch {
            // The end of the next pass, or the next open, releases them.
            return host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
        }
        // Checks the writes that were accepted meanwhile, over rows that were already checked.
        guard let order = try? ReleaseOrder(pass.resource), (try? isOverlaid(pass.resource)) == true else { return }
        var orders = ReleaseOrders()
        orders.add(order)
        shared.releaser.add(orders, in: shared)
    }

    private func isOverlaid(_ resource: ResourceKey) throws -> Bool {
        try read { view in try view.hasConfirmedOverlays(of: resource) }
    }

    private func releaseOverlays(after pass: ListPass, isComplete: Bool) async throws {
        var place: ReleasePlace?
        repeat {
            // A cancelled task must not skip the release, so it is bulk work, which is never cancelled.
            place = try await writeBulk { [place] transaction in
                try transaction.releaseOverlays(
                    after: pass, isComplete: isComplete, from: place, limit: Releaser.rowLimit)
            }
        } while place != nil
    }
}
