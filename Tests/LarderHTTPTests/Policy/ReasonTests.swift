// Proves that each reason of a decision is printed as a sentence with its source.

import LarderHTTP
import Testing

@Suite struct `A reason` {
    @Test func `is printed as a sentence with its source`() {
        #expect(
            CacheReason("fresh", "It is fresh.", source: "RFC 9111 §4.2").description == "It is fresh. (RFC 9111 §4.2)")
        #expect(CacheReason("host", "The host said so.").description == "The host said so.")
    }
}
