#if AsyncHTTPClient
import LarderTransport
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// What the handlers on both sides of a decompressor know of one body; event loop only.
final class BodyGrowth {
    /// How many bytes of the coded body came.
    var receivedBytes = 0
}

/// Stands between a decompressor and the client, and ends a response whose body grows too much.
///
/// All that one read of the connection decodes to arrives at once: what exceeds the limit is let go, not kept.
final class GrowthGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// How long a decoded body may be, whatever it grew from, in bytes.
    private static let freeBytes = 1 << 20

    private let growth: BodyGrowth
    private let limit: Int
    private var decodedBytes = 0
    private var isExceeded = false

    private init(_ growth: BodyGrowth, limit: Int) {
        self.growth = growth
        self.limit = limit
    }

    /// Puts handlers on both sides of the decompressor of a connection or stream.
    ///
    /// - Parameter limit: the most decoded bytes for each received byte.
    static func add(to channel: any Channel, limit: Int) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let growth = BodyGrowth()
            let pipeline = channel.pipeline.syncOperations
            let decompressor = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
            try pipeline.addHandler(CodedBodyCounter(growth), position: .before(decompressor))
            try pipeline.addHandler(GrowthGuard(growth, limit: limit), position: .after(decompressor))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        switch unwrapInboundIn(data) {
        case .head: decodedBytes = 0
        case .body(let piece):
            decodedBytes += piece.readableBytes
            // More than the limit times what came, without the product, which may be too large.
            if decodedBytes > Self.freeBytes, (decodedBytes - 1) / limit >= growth.receivedBytes {
                isExceeded = true
                let most = max(Self.freeBytes, limit * growth.receivedBytes)
                context.fireErrorCaught(TransportError.bodyTooLarge(limit: most))
                return context.close(promise: nil)
            }
        case .end: break
        }
        context.fireChannelRead(data)
    }
}

/// Stands between the parser and a decompressor, and counts the bytes of coded bodies.
///
/// The decompressor takes a coding without a body, as in answer to a HEAD, for a body that was cut off: such a head goes
/// on without its coding.
final class CodedBodyCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let growth: BodyGrowth
    /// A head with a coding whose body has not begun.
    private var head: HTTPResponseHead?

    init(_ growth: BodyGrowth) { self.growth = growth }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            growth.receivedBytes = 0
            self.head = head.headers.contains(name: "Content-Encoding") ? head : nil
            if self.head == nil { context.fireChannelRead(data) }
        case .body(let piece):
            growth.receivedBytes += piece.readableBytes
            if let head = head.take() { context.fireChannelRead(wrapInboundOut(.head(head))) }
            context.fireChannelRead(data)
        case .end:
            if var head = head.take() {
                head.headers.remove(name: "Content-Encoding")
                head.headers.remove(name: "Content-Length")
                context.fireChannelRead(wrapInboundOut(.head(head)))
            }
            context.fireChannelRead(data)
        }
    }
}
#endif
