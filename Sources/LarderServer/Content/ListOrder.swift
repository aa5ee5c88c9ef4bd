import Synchronization

/// The order of a table's rows in lists, made once for each set of keys.
final class ListOrder: Sendable {
    /// A row, by its index in the table.
    struct Place: Sendable {
        let position: ListPosition
        let index: Int
    }

    private let places = Mutex<[Place]?>(nil)

    /// Returns the places of the rows in order.
    ///
    /// - Parameter entries: The rows of the one table that this order belongs to.
    func places(of entries: [RowTable.Entry?]) -> [Place] {
        places.withLock { places in
            if let places { return places }
            var sorted: [Place] = []
            for case (let index, let entry?) in entries.enumerated() {
                let position = ListPosition(entry.key.key, type: entry.key.type)
                sorted.append(Place(position: position, index: index))
            }
            sorted.sort { $0.position < $1.position }
            places = sorted
            return sorted
        }
    }

    /// Returns the index of the first of the places whose key is after another one, by binary search.
    static func start(after key: String, in places: [Place]) -> Int {
        let before = ListPosition(key, type: nil)
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].position.isAfter(before) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The position of a row in a list: decimal numbers by value, then texts by their UTF-8 bytes, then types.
struct ListPosition: Comparable {
    private let number: Int64?
    private let key: [UInt8]
    private let type: [UInt8]

    init(_ key: String, type: String?) {
        // Only the canonical form is a number: `01` and `+1` are texts.
        number = Int64(key).flatMap { String($0) == key ? $0 : nil }
        self.key = Array(key.utf8)
        self.type = Array((type ?? "").utf8)
    }

    static func < (left: ListPosition, right: ListPosition) -> Bool {
        left.key == right.key ? left.type.lexicographicallyPrecedes(right.type) : right.isAfter(left)
    }

    /// Returns whether its key is after that of another place.
    func isAfter(_ other: ListPosition) -> Bool {
        switch (number, other.number) {
        case (let own?, let other?): own > other
        case (_?, nil): false
        case (nil, _?): true
        case (nil, nil): other.key.lexicographicallyPrecedes(key)
        }
    }
}
