// PageMap: where the parts of an LMDB file are that a flip may be aimed at.

/// The parts of a file of LMDB 0.9, by their offsets. Only pages of the newest trees count.
struct PageMap {
    /// A part of a file.
    enum Part: String, CaseIterable {
        case header, slots, nodes, separators, keys, counts, free, metas, overflow, values
    }

    private(set) var ranges: [Part: [Range<Int>]] = [:]
    private let bytes: [UInt8]
    private static let pageSize = 4096

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        ranges[.metas] = [0..<152, 4096..<4248]
        let newest = number(4096 + 144, 8) > number(144, 8) ? 4096 : 0
        // The trees of a meta page: the free list, then the list of tables.
        walk(root: number(newest + 40 + 40, 8), isFree: true)
        walk(root: number(newest + 88 + 40, 8), isFree: false)
    }

    private func number(_ place: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private mutating func add(_ part: Part, _ range: Range<Int>) {
        if !range.isEmpty { ranges[part, default: []].append(range) }
    }

    private mutating func walk(root: Int, isFree: Bool) {
        if root < 0 || (root + 1) * Self.pageSize > bytes.count { return }
        let page = root * Self.pageSize
        let isLeaf = number(page + 10, 2) & 2 != 0
        let lower = number(page + 12, 2)
        add(.header, page..<page + 16)
        add(.slots, page + 16..<page + lower)
        for slot in stride(from: page + 16, to: page + lower, by: 2) {
            let node = page + number(slot, 2)
            let (low, flags, keySize) = (number(node, 4), number(node + 4, 2), number(node + 6, 2))
            let key = node + 8..<node + 8 + keySize
            add(.nodes, node..<node + 8)
            if !isLeaf {
                add(.separators, key)
                walk(root: low | flags << 32, isFree: isFree)
                continue
            }
            add(isFree ? .free : .keys, key)
            addValue(key.upperBound, low, flags, isFree)
        }
    }

    private mutating func addValue(_ start: Int, _ size: Int, _ flags: Int, _ isFree: Bool) {
        if flags & 1 != 0 {
            let page = number(start, 8) * Self.pageSize
            add(.counts, start..<start + 8)
            add(.overflow, page..<page + 16)
            add(.values, page + 16..<page + 16 + size)
        } else if flags & 2 != 0 {
            add(.counts, start..<start + size)
            walk(root: number(start + 40, 8), isFree: false)
        } else {
            add(isFree ? .free : .values, start..<start + size)
        }
    }
}
