// WriteRequest: a request of the outbox, as the server reads it.

internal import Foundation
internal import HTTPTypes
internal import LarderOutbox

/// A request of the outbox, as the server reads it.
struct WriteRequest: Hashable {
    /// A write in it: the request's own, or an operation of a batch.
    struct Operation: Hashable, Decodable {
        /// The idempotency key, under which the server performs one thing once.
        let id: String
        let resource: String
        let method: String
        let payload: Content
    }

    /// What a write says.
    struct Content: Hashable, Decodable {
        let note: String
    }

    private struct Batch: Decodable {
        let operations: [Operation]
    }

    /// The idempotency key of the request: that of its write, or of the batch.
    let key: String
    let method: String
    let path: String
    let body: [UInt8]
    let isBatch: Bool
    let operations: [Operation]

    /// Reads a request.
    ///
    /// - Parameter endpoint: where batches go.
    /// - Throws: for a request that no server reads.
    init(_ request: HTTPRequest, _ body: [UInt8], batchesTo endpoint: String?) throws {
        guard let key = request.headerFields[OutboxConfiguration.sourceKeyField] else {
            throw Violation(.outbox, "a write is sent without a key")
        }
        (self.key, method, path, self.body) = (key, request.method.rawValue, request.path ?? "", body)
        isBatch = path == endpoint
        do {
            let decoder = JSONDecoder()
            if isBatch {
                operations = try decoder.decode(Batch.self, from: Data(body)).operations
            } else {
                let payload = try decoder.decode(Content.self, from: Data(body))
                operations = [Operation(id: key, resource: path, method: method, payload: payload)]
            }
        } catch {
            throw Violation(.outbox, "\(method) \(path) has a body that no server reads: \(error)")
        }
        if isBatch, method != "POST" { throw Violation(.outbox, "a batch is sent as \(method)") }
    }
}
