// Proves that a server never misses a change that a listening client has to learn of, whatever it remembers.

import Testing

@testable import LarderServer

@Suite struct `The memory of recent changes` {
    private let filter: ContentFilter
    private let one = Origin.ResourceID("a", 1)
    private let other = Origin.ResourceID("a", 2)

    init() throws { filter = try #require(ContentFilter("a:1")) }

    @Test func `knows which filters changed after a number`() {
        var recent = RecentChanges(after: 10)
        #expect(!recent.mayMatch(filter, after: 10))
        recent.add(ChangedResources(sequence: 12, resources: [other]))
        #expect(!recent.mayMatch(filter, after: 10))
        recent.add(ChangedResources(sequence: 15, resources: [one]))
        #expect(recent.mayMatch(filter, after: 10) && recent.mayMatch(filter, after: 14))
        #expect(!recent.mayMatch(filter, after: 15))
        // A client that has a change which was not read here yet.
        #expect(!recent.mayMatch(filter, after: 16))
    }

    @Test func `counts everything as changed that it does not remember`() {
        var recent = RecentChanges(after: 10)
        #expect(recent.mayMatch(filter, after: 9))
        recent.add(ChangedResources(sequence: 20, resources: nil))
        #expect(recent.mayMatch(filter, after: 19) && !recent.mayMatch(filter, after: 20))
        let many = (1...10_001).map { Origin.ResourceID("b", $0) }
        recent.add(ChangedResources(sequence: 30, resources: Set(many)))
        #expect(recent.mayMatch(filter, after: 29))
        // A restored backup has lower numbers.
        recent.add(ChangedResources(sequence: 5, resources: []))
        #expect(recent.sequence == 5 && recent.mayMatch(filter, after: 4))
    }

    @Test func `is filled from a log, as far as it reaches`() throws {
        let origin = Origin.sample(changeLimit: 4)
        try origin.createResource(one, rows: [])
        try origin.createResource(other, rows: [])
        #expect(origin.changedResources(after: 1) == ChangedResources(sequence: 2, resources: [other]))
        #expect(origin.changedResources(after: 2) == ChangedResources(sequence: 2, resources: []))
        #expect(origin.changedResources(after: .max) == ChangedResources(sequence: 2, resources: []))
        for _ in 0..<10 { try origin.touchResource(one) }
        #expect(origin.changedResources(after: 1).resources == nil)
        #expect(origin.changedResources(after: 11).resources == [one])
    }
}
