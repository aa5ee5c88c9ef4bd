import HTTPTypes

/// Writes `{"outcomes":[{"id":…,"status":…,"replayed":true,"retry_after":1,"body":…},…]}` piece by piece.
///
/// `replayed`, `retry_after` and `body` stand there only where they say something. A body that is JSON stands as it is,
/// another one as a string.
struct BatchAnswer {
    private var writer = JSONWriter()
    private var isEmpty = true

    init() { writer.raw("{\"outcomes\":[") }

    mutating func append(_ answer: ServerAnswer, of id: String) {
        if !isEmpty { writer.raw(",") }
        isEmpty = false
        writer.raw("{\"id\":")
        writer.string(id)
        writer.raw(",\"status\":")
        writer.integer(Int64(answer.status.code))
        if answer.fields[.idempotencyReplayed] != nil { writer.raw(",\"replayed\":true") }
        if let seconds = answer.fields[.retryAfter].flatMap({ Int64($0) }) {
            writer.raw(",\"retry_after\":")
            writer.integer(seconds)
        }
        if !answer.body.isEmpty {
            writer.raw(",\"body\":")
            if JSONReader.isJSON(answer.body) {
                writer.raw(answer.body)
            } else {
                writer.string(String(decoding: answer.body, as: UTF8.self))
            }
        }
        writer.raw("}")
    }

    /// The whole answer; call it once.
    mutating func finish() -> ServerAnswer {
        writer.raw("]}")
        return ServerAnswer(
            .ok, fields: [.contentType: "application/json; charset=utf-8"], body: writer.bytes)
    }
}
