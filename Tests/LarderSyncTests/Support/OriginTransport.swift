// OriginTransport: answers requests from an origin in the same process.

import HTTPTypes
import LarderServer
import LarderTransport

/// Answers requests from an origin in the same process, without a network.
struct OriginTransport: Transport {
    let origin: Origin

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let target = request.path ?? ""
        guard let path = target.stripping("/content/api/v4/resources/") else { return response(.notFound) }
        do throws(OriginProblem) {
            if let query = path.stripping("sync?") {
                return TransportResponse(status: .ok, body: try origin.page(OriginQuery(parsing: query)).body)
            }
            let parts = path.split(separator: "/")
            guard parts.count == 3, let id = Int64(parts[2]) else { return response(.notFound) }
            let copy = try origin.snapshot(of: Origin.ResourceID(String(parts[1]), id))
            return TransportResponse(
                head: HTTPResponse(status: .ok), body: TransportBody(chunks: Array(copy)))
        } catch {
            return response(error)
        }
    }

    private func response(_ problem: OriginProblem) -> TransportResponse {
        TransportResponse(status: .init(code: problem.status), body: problem.body)
    }
}

extension String {
    func stripping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
