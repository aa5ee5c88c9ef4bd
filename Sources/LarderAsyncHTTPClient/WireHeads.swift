#if AsyncHTTPClient
import NIOCore

/// What the two handlers around the parser know of the exchange on their connection; event loop only.
final class WireState {
    /// Whether the next byte from the server belongs to a head.
    var isInHead = true
    /// Whether what is being written is the head of a request.
    var isWritingHead = false
}

/// Stands between the network and the parser, where heads are still bytes, and puts stand-ins in place of bytes that the
/// parser would lose: see ``FieldBytes``.
final class WireHeads: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let state: WireState
    /// Whether the head has a first line; blank lines before it mean nothing.
    private var hasLine = false
    /// Whether anything but a carriage return stands in the line.
    private var isLineEmpty = true

    init(_ state: WireState) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        while state.isInHead, buffer.readableBytes > 0 {
            let (count, isWhole) = scan(buffer)
            // In bounds: no more than is readable was looked at.
            guard var part = buffer.readSlice(length: count) else { break }
            if FieldBytes.needsEscaping(part.readableBytesView) {
                part = context.channel.allocator.buffer(bytes: FieldBytes.escaped(part.readableBytesView))
            }
            // Before the parser sees it: what it finds may begin the next head.
            if isWhole {
                state.isInHead = false
                (hasLine, isLineEmpty) = (false, true)
            }
            context.fireChannelRead(wrapInboundOut(part))
        }
        if buffer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(buffer)) }
    }

    /// How many bytes still belong to the head, and whether they end it: with a blank line.
    private func scan(_ buffer: ByteBuffer) -> (count: Int, isWhole: Bool) {
        var count = 0
        for byte in buffer.readableBytesView {
            count += 1
            switch byte {
            case UInt8(ascii: "\n"):
                if isLineEmpty, hasLine { return (count, true) }
                isLineEmpty = true
            case UInt8(ascii: "\r"): continue
            default:
                isLineEmpty = false
                hasLine = true
            }
        }
        return (count, false)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state.isWritingHead, case .byteBuffer(let head) = unwrapOutboundIn(data),
            FieldBytes.needsEscaping(head.readableBytesView)
        else { return context.write(data, promise: promise) }
        let bytes = FieldBytes.unescaped(Array(head.readableBytesView))
        context.write(wrapOutboundOut(.byteBuffer(context.channel.allocator.buffer(bytes: bytes))), promise: promise)
    }
}
#endif
