internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

extension Outbox {
    /// Loads the row of an accepted write by a GET, because the response did not contain it.
    ///
    /// Tried once: a row that is not loaded now is shown as it was written until it is fetched or synced the next time.
    func load(_ answer: UnloadedRow) async {
        let entry = answer.entry
        let created = answer.location.flatMap {
            configuration.base.endpoint(ofLocation: $0, answering: entry.draft.endpoint)
        }
        guard let endpoint = configuration.entityEndpoint(entry) ?? created else { return }
        let reply = await fetch(endpoint, of: entry.draft)
        guard let head = reply.head, head.status.kind == .successful, case .head(let answered) = reply.result,
            !answered.isForeign, let body = reply.body,
            let loaded = configuration.loading.row(entry, body)
        else { return store.host.logger.info("the row of an accepted write could not be loaded") }
        let (now, sequence) = (store.host.now(), configuration.sequence(head))
        do {
            _ = try await store.write { transaction in
                try transaction.load(loaded, sequence: sequence, for: answer, at: now)
            }
        } catch {
            store.host.logger.warning("the row of an accepted write was not stored", metadata: ["error": "\(error)"])
        }
    }
}
