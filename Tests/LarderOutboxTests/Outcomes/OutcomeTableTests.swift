import LarderOutbox
import Testing

@Suite struct `The outcome table` {
    @Test func `takes a conflict for a replay only when the server says so`() {
        let plain = AnswerFacts(status: 409, method: "POST", tries: 2)
        var marked = plain
        marked.isReplay = true
        #expect(OutcomeTable.standard.verdict(for: plain) == .conflict)
        #expect(OutcomeTable.standard.verdict(for: marked) == .accepted)
        #expect(OutcomeTable.replaysAsConflict.verdict(for: plain) == .accepted)
    }
}
