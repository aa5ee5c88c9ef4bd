#if AsyncHTTPClient
import NIOCore

/// The state that the two handlers around the parser share for their connection; event loop only.
final class WireState {
    /// Whether the next byte from the server belongs to a head.
    var isInHead = true
    /// Whether the head of a request is being written.
    var isWritingHead = false
}

/// Replaces bytes that the parser would lose by stand-ins, see ``FieldBytes``; a handler between the network and the
/// parser, where heads are still bytes.
final class WireHeads: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let state: WireState
    /// Whether the head has a first line; blank lines before it have no meaning.
    private var hasLine = false
    /// Whether the line contains no characters except carriage returns.
    private var isLineEmpty = true

    init(_ state: WireState) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        while state.isInHead, buffer.readableBytes > 0 {
            let (count, isWhole) = scan(buffer)
            // In bounds: at most the readable bytes were scanned.
            guard var part = buffer.readSlice(length: count) else { break }
            if FieldBytes.needsEscaping(part.readableBytesView) {
                part = context.channel.allocator.buffer(bytes: FieldBytes.escaped(part.readableBytesView))
            }
            // Done before the parser runs, because its events may begin the next head.
            if isWhole {
                state.isInHead = false
                (hasLine, isLineEmpty) = (false, true)
            }
            context.fireChannelRead(wrapInboundOut(part))
        }
        if buffer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(buffer)) }
    }

    /// Returns the number of bytes that belong to the head, and whether a blank line among them ends it.
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
