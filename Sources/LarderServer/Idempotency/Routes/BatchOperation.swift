import HTTPTypes

/// One write of a batch, as the client spelled it.
struct BatchOperation: Hashable {
    /// Its key.
    let id: String
    /// The client's name of the kind of write.
    let type: String
    /// Where it would have gone by itself.
    let path: String
    /// The method.
    let method: HTTPRequest.Method
    /// The payload's bytes as they stand in the batch; empty for null, or when there is none.
    let payload: [UInt8]
}

extension BatchOperation {
    /// Reads `{"operations":[{"id":…,"type":…,"resource":…,"method":…,"payload":…},…]}`. Other members are ignored.
    ///
    /// - Throws: ``IdempotencyProblem`` with the place where the body is no batch.
    static func parse(_ bytes: [UInt8], limit: Int) throws(IdempotencyProblem) -> [BatchOperation] {
        let members: [(name: String, value: Range<Int>)]
        do throws(JSONProblem) {
            members = try JSONReader.members(of: bytes)
        } catch {
            throw malformed(error.description)
        }
        guard let list = members.first(where: { $0.name == "operations" })?.value,
            let elements = JSONReader.elements(in: bytes, at: list)
        else { throw malformed("operations must be an array") }
        guard elements.count <= limit else { throw malformed("there may be at most \(limit) operations") }
        var operations: [BatchOperation] = []
        var known: Set<String> = []
        for (index, range) in elements.enumerated() {
            let operation = try one(bytes, range, index)
            guard known.insert(operation.id).inserted else {
                throw malformed("the id of operation \(index) is not new")
            }
            operations.append(operation)
        }
        return operations
    }

    private static func one(
        _ bytes: [UInt8], _ range: Range<Int>, _ index: Int
    ) throws(IdempotencyProblem) -> BatchOperation {
        guard let members = JSONReader.members(in: bytes, at: range) else {
            throw malformed("operation \(index) is no object")
        }
        func text(_ name: String) -> String? {
            members.first { $0.name == name }.flatMap { JSONReader.string(in: bytes, at: $0.value) }
        }
        guard let id = text("id"), IdempotencyKey.text(ofField: id) == id else {
            throw malformed("operation \(index) has no id that is a key")
        }
        guard let path = text("resource") else { throw malformed("operation \(index) has no resource") }
        guard let method = text("method").flatMap({ HTTPRequest.Method($0) }),
            IdempotencyPolicy.methods.contains(method)
        else { throw malformed("the method of operation \(index) must be one of POST, PUT, PATCH and DELETE") }
        var payload: [UInt8] = []
        if let value = members.first(where: { $0.name == "payload" })?.value {
            payload = Array(bytes[value])
            if payload == Array("null".utf8) { payload = [] }
        }
        return BatchOperation(id: id, type: text("type") ?? "", path: path, method: method, payload: payload)
    }

    private static func malformed(_ detail: String) -> IdempotencyProblem {
        IdempotencyProblem(.batchMalformed, "The body is no batch: \(detail)")
    }
}
