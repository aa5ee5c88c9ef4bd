internal import LarderFormat
internal import LarderJSON
internal import LarderStore

/// The body of a batch, and the outcomes in its response.
enum BatchBody {
    /// Returns `{"operations":[{"id":…,"type":…,"resource":…,"method":…,"payload":…},…]}`.
    ///
    /// The same entries always give the same bytes, so that a batch is sent again unchanged. A payload is copied byte
    /// by byte; an empty one is written as `null`.
    static func encode(_ entries: [OutboxEntry]) -> [UInt8] {
        var bytes = Array("{\"operations\":[".utf8)
        for (index, entry) in entries.enumerated() {
            bytes.append(
                contentsOf: (index == 0 ? "{\"id\":\"\(entry.id)\",\"type\":" : ",{\"id\":\"\(entry.id)\",\"type\":")
                    .utf8)
            JSONText.append(quoting: entry.mutationType, to: &bytes)
            bytes.append(contentsOf: ",\"resource\":".utf8)
            JSONText.append(quoting: entry.endpoint, to: &bytes)
            bytes.append(contentsOf: ",\"method\":".utf8)
            JSONText.append(quoting: entry.method, to: &bytes)
            bytes.append(contentsOf: ",\"payload\":".utf8)
            bytes.append(contentsOf: entry.payload.isEmpty ? Array("null".utf8) : entry.payload)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }

    /// Returns what a response
    /// `{"outcomes":[{"id":…,"status":…,"replayed":…,"retry_after":…,"sequence":…,"body":…},…]}` reports for each of
    /// `entries`; nil when it reports none of them. All members but `id` and `status` may be missing. Two outcomes of
    /// one entry with different statuses count as none.
    static func outcomes(
        _ body: [UInt8], of entries: [UUIDBytes]
    ) -> (heads: [UUIDBytes: ResponseSummary], accepted: [UUIDBytes: AcceptedResponse])? {
        var heads: [UUIDBytes: ResponseSummary] = [:]
        var accepted: [UUIDBytes: AcceptedResponse] = [:]
        var contradicted: Set<UUIDBytes> = []
        for outcome in elements(of: body) {
            let found = members.values(of: outcome.rawSpan, codec: .json)
            guard case .text(let text) = found[0], let id = UUIDBytes(text), entries.contains(id),
                case .integer(let status) = found[1], (100...999).contains(status)
            else { continue }
            // As in the Retry-After field, a server can request a wait of a day at most.
            let wait: Duration? =
                if case .integer(let seconds) = found[3] { .seconds(min(max(seconds, 0), 86_400)) } else { nil }
            let head = ResponseSummary(Int(status), isReplay: found[2] == .integer(1), retryAfter: wait)
            if let other = heads[id], other.status != head.status { contradicted.insert(id) }
            heads[id] = head
            var answer = AcceptedResponse()
            if case .integer(let sequence) = found[4] { answer.sequence = sequence }
            if case .text(let value) = found[5] { answer.body = Array(value.utf8) }
            accepted[id] = answer
        }
        for id in contradicted { heads[id] = nil }
        return heads.isEmpty ? nil : (heads, accepted)
    }

    private static let members = JSONExtractor(
        ["id", "status", "replayed", "retry_after", "sequence", "body"].compactMap { JSONPath("$.\($0)") })

    /// Returns the outcomes of a response, each a JSON text; none where it is no JSON object or has no such array.
    private static func elements(of body: [UInt8]) -> [[UInt8]] {
        guard let list = JSONMembers(body)?["outcomes"]?.value else { return [] }
        return (try? JSONText.elements(of: list, limits: .stored)) ?? []
    }
}
