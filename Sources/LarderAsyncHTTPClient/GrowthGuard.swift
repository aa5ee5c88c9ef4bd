#if AsyncHTTPClient
import LarderTransport
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// The state of one body that the handlers on both sides of a decompressor share; event loop only.
final class BodyGrowth {
    /// The number of bytes received of the coded body.
    var receivedBytes = 0
}

/// Ends a response whose body grows too much; a handler between a decompressor and the client.
///
/// The decoded data of one read of the connection arrives at once: data beyond the limit is discarded.
final class GrowthGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The length of a decoded body that is always allowed, in bytes.
    private static let freeBytes = 1 << 20

    private let growth: BodyGrowth
    private let limit: Int
    private var decodedBytes = 0
    private var isExceeded = false

    private init(_ growth: BodyGrowth, limit: Int) {
        self.growth = growth
        self.limit = limit
    }

    /// Adds handlers on both sides of the decompressor of a connection or stream.
    ///
    /// - Parameter limit: The most decoded bytes for each received byte.
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
            // Compares with the limit times the received bytes, without the product, which may overflow.
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

/// Counts the bytes of coded bodies; a handler between the parser and a decompressor.
///
/// The decompressor treats a coding without a body, as in a response to HEAD, as a body that was cut off. Such a head
/// is passed on without its coding.
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
