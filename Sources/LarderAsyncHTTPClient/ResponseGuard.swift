#if AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Stands between the parser and the client, and lets through only what the client takes for possible.
///
/// The client ends the process when a body comes without a head of its own. A server can make that happen: the client
/// passes over every head with a status below 200, while the parser takes a status below 100 for one with a body.
final class ResponseGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private enum Place {
        case head, body, broken
    }

    private var place = Place.head

    /// Puts a guard behind the parser of a connection.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ResponseGuard(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isPossible(unwrapInboundIn(data)) {
            context.fireChannelRead(data)
        } else if place != .broken {
            place = .broken
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        }
    }

    private func isPossible(_ part: HTTPClientResponsePart) -> Bool {
        switch (place, part) {
        case (.head, .head(let head)):
            guard head.status.code >= 100 else { return false }
            // An interim answer has neither body nor end. RFC 9110 §15.2.
            if head.status.code >= 200 || head.status == .switchingProtocols { place = .body }
            return true
        case (.body, .body): return true
        case (.body, .end):
            place = .head
            return true
        case (.body, .head), (.head, .body), (.head, .end), (.broken, _): return false
        }
    }
}
#endif
