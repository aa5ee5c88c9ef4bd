// Proves that a filter's record keeps the latest runs, and that a record without them is as it was.

import LarderFormat
import Testing

@Suite struct `The runs of a filter` {
    @Test func `are kept up to a limit, the oldest go first`() {
        var runs: [RecordedRuns] = []
        for number in 1...Int64(Limits.recordedRuns + 5) {
            runs.add(RecordedRuns(beganAt: number, endedAt: number, rowsWritten: number))
        }
        #expect(runs.count == Limits.recordedRuns)
        #expect(runs.first?.rowsWritten == 6 && runs.last?.rowsWritten == Int64(Limits.recordedRuns + 5))
    }

    @Test func `are one element while the result is the same`() {
        var runs: [RecordedRuns] = []
        for error in [nil, nil, "a", "a", "b", nil] as [String?] {
            runs.add(RecordedRuns(beganAt: 1, endedAt: 2, error: error))
        }
        #expect(runs.map(\.count) == [2, 2, 1, 1])
    }

    @Test func `are nothing in a record before the first one`() throws {
        var state = FilterState(filter: "notes:1")
        let before = state.encode()
        state.incompleteUntil = 7
        #expect(state.encode().starts(with: before) && state.encode().count > before.count)
        let decoded = try FilterState(decoding: before.rawSpan)
        #expect(decoded.runs == [] && decoded.encode() == before)
    }

    @Test func `with an error in them count as absent, and the filter stays readable`() throws {
        var state = FilterState(filter: "notes:1")
        state.incompleteUntil = 7
        let before = state
        state.runs = [RecordedRuns(beganAt: 1, endedAt: 2, count: 0)]
        #expect(try FilterState(decoding: state.encode().rawSpan) == before)
        let cut = before.encode() + TupleWriter.bytes { $0.append(bytes: [0x15, 0x01]) }
        #expect(try FilterState(decoding: cut.rawSpan) == before)
    }

    @Test func `of a later version, of another kind, are ignored`() throws {
        var state = FilterState(filter: "notes:1")
        state.incompleteUntil = 7
        let body = state.encode() + TupleWriter.bytes { $0.append(text: "later") }
        #expect(try FilterState(decoding: body.rawSpan) == state)
    }
}
