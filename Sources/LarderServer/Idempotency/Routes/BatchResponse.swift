import HTTPTypes
import LarderFormat
import LarderJSON

/// Writes `{"outcomes":[{"id":…,"status":…,"replayed":true,"retry_after":1,"sequence":7,"body":…},…]}` piece by piece.
///
/// Members other than `id` and `status` are present only where they have a value. A JSON body is inserted unchanged,
/// any other as a string.
struct BatchResponse {
    private var writer = JSONWriter()
    private var isEmpty = true

    init() { writer.raw("{\"outcomes\":[") }

    mutating func append(_ answer: IdempotentResponse, of id: String) {
        if !isEmpty { writer.raw(",") }
        isEmpty = false
        writer.raw("{\"id\":")
        writer.string(id)
        writer.raw(",\"status\":")
        writer.integer(Int64(answer.status.code))
        if answer.fields[.idempotencyReplayed] != nil { writer.raw(",\"replayed\":true") }
        append(answer.fields[.retryAfter], ",\"retry_after\":")
        append(answer.fields[.syncSequence], ",\"sequence\":")
        if !answer.body.isEmpty {
            writer.raw(",\"body\":")
            if JSONValue(answer.body.rawSpan.bytes) != nil {
                writer.raw(answer.body)
            } else {
                writer.string(String(decoding: answer.body, as: UTF8.self))
            }
        }
        writer.raw("}")
    }

    /// Appends the number in a header field, if there is one.
    private mutating func append(_ field: String?, _ name: StaticString) {
        guard let number = field.flatMap({ Int64($0) }) else { return }
        writer.raw(name)
        writer.integer(number)
    }

    /// Returns the whole response; call it once.
    mutating func finish() -> IdempotentResponse {
        writer.raw("]}")
        return IdempotentResponse(
            .ok, fields: [.contentType: "application/json; charset=utf-8"], body: writer.bytes)
    }
}
