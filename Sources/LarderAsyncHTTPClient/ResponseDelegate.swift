#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPTypes
import LarderTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// Passes the client's events to the exchange, and pauses the client until the reader has read the data.
final class ResponseDelegate: HTTPClientResponseDelegate {
    typealias Response = Void

    private let exchange: Exchange
    private let isSecure: Bool
    private let decodes: Bool
    /// Whether the body is coded according to the head and the client cannot decode it. Used on the event loop only.
    private let isUnreadable = Atomic(false)

    /// Creates a delegate for `exchange`.
    ///
    /// - Parameter decodes: Whether the client decodes bodies; if not, they are passed on as received.
    init(_ exchange: Exchange, isSecure: Bool, decodes: Bool) {
        self.exchange = exchange
        self.isSecure = isSecure
        self.decodes = decodes
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        exchange.connected()
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        // A change of protocols (101) was not requested.
        guard (200...999).contains(head.status.code) else {
            let error = TransportError.other(reason: "the status is none of a final response")
            return task.eventLoop.makeFailedFuture(error)
        }
        var fields = HTTPFields()
        for (name, value) in head.headers {
            // A field whose name violates RFC 9110 §5.1 has no meaning.
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: FieldBytes.bytes(of: value)))
        }
        let reason = String(decoding: FieldBytes.bytes(of: head.status.reasonPhrase), as: UTF8.self)
        let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: reason)
        let response = HTTPResponse(status: status, headerFields: fields)
        // The client decodes only the first coding, and only once. A range of a coded body cannot be decoded.
        let codings = head.headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        let isDecoded = decodes && (codings == ["gzip"] || codings == ["deflate"]) && response.status != .partialContent
        let reported = isDecoded ? ContentCoding.decoded(response) : response
        isUnreadable.store(decodes && ContentCoding.isCoded(reported), ordering: .relaxed)
        exchange.receive(head: reported, isDecoded: isDecoded)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        // The head alone may name a coding: in a response to HEAD, or with a status whose body is not read.
        if isUnreadable.load(ordering: .relaxed) {
            return task.eventLoop.makeFailedFuture(TransportError.encodedBody)
        }
        let consumed = task.eventLoop.makePromise(of: Void.self)
        exchange.receive(Array(buffer.readableBytesView)) { consumed.succeed() }
        return consumed.futureResult
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        exchange.finish(TransportError(error, isConnected: exchange.isConnected, isSecure: isSecure))
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        exchange.finish()
    }
}
#endif
