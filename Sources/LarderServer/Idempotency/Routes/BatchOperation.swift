import HTTPTypes
import LarderFormat
import LarderJSON

/// One write of a batch, as the client sent it.
struct BatchOperation: Hashable {
    /// Its key.
    let id: String
    /// The client's name of the kind of write.
    let type: String
    /// The path of the same write outside a batch.
    let path: String
    /// The method.
    let method: HTTPRequest.Method
    /// The payload's bytes unchanged; empty for null, or when there is none.
    let payload: [UInt8]
}

extension BatchOperation {
    /// Parses `{"operations":[{"id":…,"type":…,"resource":…,"method":…,"payload":…},…]}`. Other members are ignored.
    ///
    /// - Throws: ``IdempotencyProblem`` of kind ``IdempotencyProblem/Kind/batchMalformed`` with the place of the error.
    static func parse(_ bytes: [UInt8], limit: Int) throws(IdempotencyProblem) -> [BatchOperation] {
        let elements: [[UInt8]]?
        do throws(JSONError) {
            elements = try JSONMembers(bytes.rawSpan.bytes)["operations"].flatMap { (list) throws(JSONError) in
                try JSONText.elements(of: list.value)
            }
        } catch {
            throw malformed(error.description)
        }
        guard let elements else { throw malformed("operations must be an array") }
        guard elements.count <= limit else { throw malformed("there may be at most \(limit) operations") }
        var operations: [BatchOperation] = []
        var known: Set<String> = []
        for (index, element) in elements.enumerated() {
            let operation = try one(element, index)
            guard known.insert(operation.id).inserted else {
                throw malformed("the id of operation \(index) is not new")
            }
            operations.append(operation)
        }
        return operations
    }

    private static func one(_ element: [UInt8], _ index: Int) throws(IdempotencyProblem) -> BatchOperation {
        guard let members = try? JSONMembers(element.rawSpan.bytes) else {
            throw malformed("operation \(index) is no object, or has a name twice")
        }
        func text(_ name: String) -> String? { members[name]?.decoded?.text }
        guard let id = text("id"), IdempotencyKey.text(ofField: id) == id else {
            throw malformed("operation \(index) has no id that is a key")
        }
        guard let path = text("resource") else { throw malformed("operation \(index) has no resource") }
        guard let method = text("method").flatMap({ HTTPRequest.Method($0) }),
            IdempotencyPolicy.methods.contains(method)
        else { throw malformed("the method of operation \(index) must be one of POST, PUT, PATCH and DELETE") }
        let payload = members["payload"].map(\.value) ?? []
        return BatchOperation(
            id: id, type: text("type") ?? "", path: path, method: method,
            payload: payload == Array("null".utf8) ? [] : payload)
    }

    private static func malformed(_ detail: String) -> IdempotencyProblem {
        IdempotencyProblem(.batchMalformed, "The body is no batch: \(detail)")
    }
}
