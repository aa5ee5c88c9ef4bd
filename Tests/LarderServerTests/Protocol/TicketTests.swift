// Proves that sealed tokens and cursors resist any change.

import LarderServer
import Testing

@Suite struct `A sealed ticket` {
    private let seal = TicketSigner(secret: TokenSecret(1, 2))
    private let ticket = Ticket(
        purpose: .changes(position: 7, pageSize: 50), bound: .max, epoch: 3, filter: "tafsirs:*;translations:1,6")

    @Test(arguments: [
        Ticket.Purpose.token, .bootstrap(position: 0, pageSize: 1), .changes(position: .max, pageSize: 100),
    ]) func `says what was put into it`(purpose: Ticket.Purpose) {
        let ticket = Ticket(purpose: purpose, bound: 9, epoch: 1, filter: "a:1")
        #expect(seal.ticket(seal.text(of: ticket)) == ticket)
    }

    @Test func `needs no escape in a URL`() {
        #expect(
            seal.text(of: ticket).utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x5F
            })
    }

    @Test func `is refused after any change of one character`() {
        let text = Array(seal.text(of: ticket))
        for index in text.indices {
            for other in "AQz-_9=%" where other != text[index] {
                var changed = text
                changed[index] = other
                #expect(seal.ticket(String(changed)) == nil)
            }
        }
    }

    @Test func `is refused when cut short or lengthened`() {
        let text = seal.text(of: ticket)
        for count in 0..<text.count { #expect(seal.ticket(String(text.prefix(count))) == nil) }
        #expect(seal.ticket(text + "A") == nil)
    }

    @Test func `is refused under another secret`() {
        #expect(TicketSigner(secret: TokenSecret(1, 3)).ticket(seal.text(of: ticket)) == nil)
    }

    @Test func `is signed as the authors of SipHash show it`() {
        // Appendix A of their paper: the key 00…0f, the message 00…0e.
        let seal = TicketSigner(secret: TokenSecret(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        #expect(seal.signature(of: Array(0..<15)) == 0xa129_ca61_49be_45e5)
    }
}
