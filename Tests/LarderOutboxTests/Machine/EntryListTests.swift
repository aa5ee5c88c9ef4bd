// Proves that the list of a machine's entries says of them what a look at each of them says.

import LarderFormat
import LarderTesting
import Testing

@testable import LarderOutbox

@Suite struct `The list of a machine's entries` {
    private static let lanes = ["a", "b", "c", "d"]
    private static let states: [OutboxDelivery.State] = [.pending, .pending, .sending, .waiting, .failed, .unresolved]

    private static func entry(_ number: Int64, _ random: inout SeededGenerator) -> LaneEntry {
        let account = random.next() % 3 == 0 ? "user" : nil
        let after = random.next() % 5 == 0 ? [UUIDBytes(high: 9, low: 9)] : []
        return LaneEntry(
            id: UUIDBytes(high: 1, low: UInt64(number)), lane: lanes[Int(random.next() % 4)], sequence: number,
            account: account, after: after, createdAt: Int64(random.next() % 1000))
    }

    private static func delivery(_ random: inout SeededGenerator) -> OutboxDelivery {
        var delivery = OutboxDelivery()
        delivery.state = states[Int(random.next() % UInt64(states.count))]
        if random.next() % 4 == 0 { delivery.isInDoubt = true }
        if random.next() % 4 == 0 { delivery.firstTriedAt = 7 }
        if random.next() % 4 == 0 { delivery.batch = UUIDBytes(high: 2, low: 2) }
        return delivery
    }

    private func check(_ list: EntryList, _ entries: [LaneEntry]) {
        #expect(Array(list) == entries)
        let fresh = OutboxDelivery()
        let touched = entries.indices.filter { index in
            let delivery = entries[index].delivery
            return delivery.state != fresh.state || delivery.isInDoubt || delivery.firstTriedAt != nil
                || delivery.batch != nil
        }
        #expect(list.touched == touched)
        #expect(list.hasDependents == entries.contains { !$0.after.isEmpty })
        #expect(list.oldestCreatedAt == entries.map(\.createdAt).min())
        #expect(list.laneCount == Set(entries.map(\.lane)).count)
        var accounts: [[UInt8]?: Int] = [:]
        for entry in entries { accounts[entry.account.map { Array($0.utf8) }, default: 0] += 1 }
        #expect(list.accounts.filter { $0.value != 0 } == accounts)
        #expect(entries.allSatisfy { list.index(of: $0.id).map { list[$0].id } == $0.id })
        #expect(list.index(of: UUIDBytes(high: 0, low: 0)) == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `shows what each change has made of it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var entries: [LaneEntry] = []
        var list: EntryList = []
        for number in 1...200 as ClosedRange<Int64> {
            switch random.next() % 4 {
            case 0 where !entries.isEmpty:
                let index = Int(random.next() % UInt64(entries.count))
                entries.remove(at: index)
                list.remove(at: index)
            case 1 where !entries.isEmpty:
                let index = Int(random.next() % UInt64(entries.count))
                entries[index].delivery = Self.delivery(&random)
                list[index].delivery = entries[index].delivery
            case 2 where entries.count > 2:
                let (removed, changed, added) = (entries[0].id, entries[1].id, Self.entry(number, &random))
                entries[1].delivery = Self.delivery(&random)
                let new = entries[1]
                list.replace([removed, changed], by: { $0.id == removed ? nil : new }, adding: { [added] })
                entries = Array(entries.dropFirst()) + [added]
            default:
                let added = Self.entry(number, &random)
                entries.append(added)
                list.replace([], by: { $0 }, adding: { [added] })
            }
            check(list, entries)
        }
        check(EntryList(entries.shuffled(using: &random)), entries)
    }

    @Test func `stays as it is when a copy changes`() {
        var random = SeededGenerator(seed: 1)
        let list = EntryList((1...20).map { Self.entry($0, &random) })
        let entries = Array(list)
        var copy = list
        copy[3].delivery.state = .sending
        copy.remove(at: 0)
        check(list, entries)
        #expect(copy.touched == [2])
    }
}
