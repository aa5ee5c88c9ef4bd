import HTTPTypes
import LarderHTTP
import LarderTransport

/// One line of input to `serve-client`, with its reply.
struct ClientExchange: Sendable {
    let cache: HTTPCache
    let line: [UInt8]

    /// The longest body in a reply, in bytes.
    private static let bodyLimit = 256 << 20

    /// Returns the reply; errors are part of it.
    func reply() async -> JSON {
        let request: ClientRequest
        do throws(ClientRequest.Fault) {
            request = try ClientRequest(line: line)
        } catch {
            return Self.failure(.null, "InvalidRequest", error.sentence)
        }
        let id = request.id?.json ?? .null
        do throws(ClientRequest.Fault) {
            let (fetch, strategy) = try request.fetch()
            return await response(id, fetch, strategy, within: request.limit)
        } catch {
            return Self.failure(id, "InvalidRequest", error.sentence)
        }
    }

    private func response(
        _ id: JSON, _ request: FetchRequest, _ strategy: SingleAnswerStrategy, within limit: Duration?
    ) async -> JSON {
        await withTaskGroup(of: JSON.self) { group in
            group.addTask { await response(id, request, strategy) }
            if let limit {
                group.addTask {
                    try? await Task.sleep(for: limit)
                    return Self.failure(id, "Timeout", "The response did not arrive within the time limit.")
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? Self.failure(id, "Cancelled", "The request was cancelled.")
        }
    }

    private func response(_ id: JSON, _ request: FetchRequest, _ strategy: SingleAnswerStrategy) async -> JSON {
        do throws(HTTPCacheError) {
            let response = try await cache.fetch(request, strategy).value
            let body = try await response.body.bytes(upTo: Self.bodyLimit)
            return .object([
                JSON.Member(name: "id", value: id),
                JSON.Member(name: "status", value: .count(response.head.status.code)),
                JSON.Member(name: "headers", value: .headers(response.head.headerFields)),
                .body(body, text: "body", base64: "body_b64"),
            ])
        } catch {
            return Self.failure(id, Self.name(of: error), "\(error)")
        }
    }

    private static func name(of error: HTTPCacheError) -> String {
        if error.isNoConnectionError { return "NoConnection" }
        if error.isTimeoutError { return "Timeout" }
        if error.isNetworkError { return "Network" }
        return switch error {
        case .transport(.cancelled): "Cancelled"
        case .notCached: "NotCached"
        case .invalidRequest, .uploadTooLarge, .transport, .server, .redirectedTooOften, .parse, .notSignedIn,
            .otherServer:
            "InvalidRequest"
        case .notConfigured, .bodyRemoved, .unreadable, .responseTooLarge: "Cache"
        }
    }

    private static func failure(_ id: JSON, _ name: String, _ message: String) -> JSON {
        ["id": id, "error": ["name": .string(name), "message": .string(message)]]
    }
}
