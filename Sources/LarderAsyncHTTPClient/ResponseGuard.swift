#if AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Passes on only those parts of a response that the client accepts; a handler between the parser and the client.
///
/// The client ends the process when a body arrives without its own head. A server can cause that: the client skips
/// every head with a status below 200, while the parser expects a body after a status below 100. The guard also reports
/// to ``WireHeads`` where heads begin.
final class ResponseGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Phase {
        case head, body, broken
    }

    private let state: WireState
    private var phase = Phase.head

    init(_ state: WireState) { self.state = state }

    /// Adds a guard after the parser of a connection, and the ``WireHeads`` before the encoder.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let state = WireState()
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ResponseGuard(state), position: .after(parser))
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(WireHeads(state), position: .before(encoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isPossible(unwrapInboundIn(data)) {
            context.fireChannelRead(data)
        } else if phase != .broken {
            phase = .broken
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { state.isWritingHead = true }
        defer { state.isWritingHead = false }
        context.write(data, promise: promise)
    }

    private func isPossible(_ part: HTTPClientResponsePart) -> Bool {
        switch (phase, part) {
        case (.head, .head(let head)):
            guard head.status.code >= 100 else { return false }
            // An interim response has neither body nor end: another head follows. RFC 9110 §15.2.
            let isInterim = head.status.code < 200 && head.status != .switchingProtocols
            if isInterim { state.isInHead = true } else { phase = .body }
            return true
        case (.body, .body): return true
        case (.body, .end):
            phase = .head
            state.isInHead = true
            return true
        case (.body, .head), (.head, .body), (.head, .end), (.broken, _): return false
        }
    }
}
#endif
