#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPTypes
import LarderTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// Hands what the client reports to the exchange, and holds the client back until the reader has taken it.
final class ResponseDelegate: HTTPClientResponseDelegate {
    typealias Response = Void

    private let exchange: Exchange
    private let isSecure: Bool
    private let decodes: Bool
    /// Whether the head says that the body is coded, and the client cannot decode it. Used on the event loop alone.
    private let isUnreadable = Atomic(false)

    /// - Parameter decodes: whether the client decodes bodies; if not, they are handed out as they come.
    init(_ exchange: Exchange, isSecure: Bool, decodes: Bool) {
        self.exchange = exchange
        self.isSecure = isSecure
        self.decodes = decodes
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        exchange.connected()
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        // A change of protocols (101) was not asked for.
        guard (200...999).contains(head.status.code) else {
            let error = TransportError.other(reason: "the status is none of a final response")
            return task.eventLoop.makeFailedFuture(error)
        }
        var fields = HTTPFields()
        for (name, value) in head.headers {
            // A field with a name outside RFC 9110 §5.1 means nothing to anybody.
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: FieldBytes.bytes(of: value)))
        }
        let reason = String(decoding: FieldBytes.bytes(of: head.status.reasonPhrase), as: UTF8.self)
        let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: reason)
        let response = HTTPResponse(status: status, headerFields: fields)
        // The client decodes by the first coding, and only once. A range of a coded body cannot be decoded.
        let codings = head.headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        let isDecoded = decodes && (codings == ["gzip"] || codings == ["deflate"]) && response.status != .partialContent
        let handedOut = isDecoded ? ContentCoding.decoded(response) : response
        isUnreadable.store(decodes && ContentCoding.isCoded(handedOut), ordering: .relaxed)
        exchange.receive(head: handedOut, isDecoded: isDecoded)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        // The head alone may well speak of a coding: in answer to a HEAD, or with a status whose body nobody reads.
        if isUnreadable.load(ordering: .relaxed) {
            return task.eventLoop.makeFailedFuture(TransportError.encodedBody)
        }
        let wanted = task.eventLoop.makePromise(of: Void.self)
        exchange.receive(Array(buffer.readableBytesView)) { wanted.succeed() }
        return wanted.futureResult
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        exchange.finish(TransportError(error, isConnected: exchange.isConnected, isSecure: isSecure))
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        exchange.finish()
    }
}
#endif
