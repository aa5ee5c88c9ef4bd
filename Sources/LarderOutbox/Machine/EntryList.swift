internal import LarderFormat

/// The entries of a machine, in the order of their sequences.
///
/// Each step has a copy of the machine, because it may not be stored. Copies share their entries. Those that wait for
/// their first try are most of a long queue, and a step does not look at them one by one: all others are listed apart
/// (``touched``), and the rest is counted.
package struct EntryList: RandomAccessCollection, ExpressibleByArrayLiteral, Hashable, Sendable {
    private final class Box: Sendable {
        let entry: LaneEntry

        init(_ entry: LaneEntry) { self.entry = entry }
    }

    private var boxes: [Box]
    /// The sequences of the touched entries, in order.
    private var touchedSequences: [Int64] = []
    /// The creation times of the entries, in their order.
    private var creationTimes: [Int64] = []
    /// The number of entries that come after others.
    private var dependents = 0
    /// The numbers of entries, by the UTF-8 of their accounts: texts that only normalization makes equal are two.
    private(set) var accounts: [[UInt8]?: Int] = [:]
    /// The numbers that lanes have here; kept when their last entry leaves.
    private var laneNumbers: [String: Int] = [:]
    /// The numbers of entries, by the number of their lane.
    private var laneSizes: [Int] = []
    /// The number of lanes with entries.
    private(set) var laneCount = 0

    /// A list of entries in any order.
    init(_ entries: some Sequence<LaneEntry>) {
        boxes = entries.map { Box($0) }
        recount()
    }

    package init(arrayLiteral entries: LaneEntry...) { self.init(entries) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { boxes.count }

    /// The entry at an index; another one put there has the same identity, lane, account and sequence.
    package internal(set) subscript(index: Int) -> LaneEntry {
        get { boxes[index].entry }
        set {
            let old = boxes[index].entry
            boxes[index] = Box(newValue)
            guard newValue.isTouched != old.isTouched else { return }
            let place = Self.partition(touchedSequences.count) { touchedSequences[$0] >= newValue.sequence }
            if newValue.isTouched {
                touchedSequences.insert(newValue.sequence, at: place)
            } else {
                touchedSequences.remove(at: place)
            }
        }
    }

    /// The indices of the entries that are anything but waiting for their first try.
    var touched: [Int] {
        if touchedSequences.count > boxes.count / 8 { return boxes.indices.filter { boxes[$0].entry.isTouched } }
        return touchedSequences.map { sequence in Self.partition(boxes.count) { boxes[$0].entry.sequence >= sequence } }
    }

    /// Whether an entry comes after others.
    var hasDependents: Bool { dependents > 0 }

    /// The time at which the oldest entry was enqueued; nil without entries.
    var oldestCreatedAt: Int64? { creationTimes.min() }

    /// Returns the index of an entry, or nil.
    func index(of id: UUIDBytes) -> Int? {
        // Mostly it is one that is being sent.
        let near = touchedSequences.count > 16 ? nil : touched.first { boxes[$0].entry.id == id }
        return near ?? boxes.firstIndex { $0.entry.id == id }
    }

    /// Removes the entry at an index.
    mutating func remove(at index: Int) {
        if self[index].isTouched {
            let sequence = self[index].sequence
            touchedSequences.remove(
                at: Self.partition(touchedSequences.count) { touchedSequences[$0] >= sequence })
        }
        count(boxes[index].entry, -1)
        creationTimes.remove(at: index)
        boxes.remove(at: index)
    }

    /// Replaces these entries, or all where that is nil, by what `body` makes of them, and adds others.
    mutating func replace(
        _ ids: Set<UUIDBytes>?, by body: (LaneEntry) -> LaneEntry?, adding entries: () -> [LaneEntry]
    ) {
        boxes = boxes.compactMap { box in
            guard ids?.contains(box.entry.id) ?? true else { return box }
            return body(box.entry).map { Box($0) }
        }
        boxes += entries().map { Box($0) }
        recount()
    }

    private mutating func recount() {
        boxes.sort { $0.entry.sequence < $1.entry.sequence }
        touchedSequences = boxes.lazy.map(\.entry).filter(\.isTouched).map(\.sequence)
        creationTimes = boxes.map(\.entry.createdAt)
        (dependents, accounts, laneNumbers, laneSizes, laneCount) = (0, [:], [:], [], 0)
        for box in boxes { count(box.entry, 1) }
    }

    private mutating func count(_ entry: LaneEntry, _ change: Int) {
        if !entry.after.isEmpty { dependents += change }
        accounts[entry.account.map { Array($0.utf8) }, default: 0] += change
        let number = laneNumbers[entry.lane] ?? laneSizes.count
        if number == laneSizes.count {
            laneNumbers[entry.lane] = number
            laneSizes.append(0)
        }
        laneCount -= laneSizes[number] > 0 ? 1 : 0
        laneSizes[number] += change
        laneCount += laneSizes[number] > 0 ? 1 : 0
    }

    /// Returns the first of `count` numbers that `isBehind` is true of, where it is true of all that follow.
    private static func partition(_ count: Int, _ isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    package static func == (left: EntryList, right: EntryList) -> Bool { left.elementsEqual(right) }

    package func hash(into hasher: inout Hasher) {
        for box in boxes { hasher.combine(box.entry) }
    }
}

extension LaneEntry {
    /// Whether it is anything but waiting for its first try.
    fileprivate var isTouched: Bool {
        delivery.state != .pending || delivery.isInDoubt || delivery.firstTriedAt != nil || delivery.batch != nil
    }
}
