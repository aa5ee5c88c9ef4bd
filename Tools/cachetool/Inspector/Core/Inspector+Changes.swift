import Larder
import LarderFormat
import LarderStore

extension Inspector {
    /// Performs a change that a form requests, and leads back to the outbox.
    ///
    /// - Throws: ``ToolError`` where the write is not in the outbox, or in another state; errors of the store.
    func change(_ name: String, _ request: InspectorRequest) throws -> InspectorResponse {
        let form = FormValues(parsing: String(decoding: request.body, as: UTF8.self))
        guard let id = form["entry"].flatMap({ UUIDBytes($0) }) else {
            throw ToolError.usage("The form names no write.")
        }
        let now = now()
        switch name {
        case "retry":
            let host = HostServices.system(logger: .tool)
            try store.writeBlocking(durability: .full) { transaction in
                guard let entry = try transaction.outboxEntry(id) else { throw ToolError.noEntry(id) }
                _ = try OutboxRetry.retry(entry, host, &transaction)
            }
        case "drop":
            try store.writeBlocking(durability: .full) { transaction in
                _ = try OutboxDrop.drop([id], in: &transaction, at: now)
            }
        default: return failure(404, "There is no such form.")
        }
        return InspectorResponse(status: 303, location: "./outbox")
    }
}
