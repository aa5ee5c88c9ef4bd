import Glibc

/// A file without a name, in memory.
final class MemoryFile: Sendable {
    let number: CInt
    /// A path that opens the file in this process.
    var path: String { "/proc/self/fd/\(number)" }

    init() {
        var path = Array("/dev/shm/larder-fuzz-XXXXXX".utf8CString)
        number = unsafe mkstemp(&path)
        require(unsafe number >= 0 && unlink(path) == 0, "no file is made in memory")
    }

    /// Opens a file and removes its name.
    init(path: String) {
        number = unsafe open(path, O_RDWR | O_CLOEXEC)
        require(unsafe number >= 0 && unlink(path) == 0, "a file is not opened")
    }

    var bytes: [UInt8] {
        let size = Int(lseek(number, 0, SEEK_END))
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            // In bounds: the capacity is the size.
            count = unsafe pread(number, buffer.baseAddress, size, 0)
        }
    }

    func resize(to size: Int) { require(ftruncate(number, size) == 0, "the file is not resized") }

    func write(_ bytes: [UInt8], at place: Int) {
        require(unsafe pwrite(number, bytes, bytes.count, place) == bytes.count, "the file is not written")
    }
}

/// A sound data file, and a copy of it with some edits.
///
/// libFuzzer runs inputs on one thread.
final class DamagedFile: @unchecked Sendable {
    static let pageSize = 4096
    /// The two meta pages of an empty file with pages of 512 bytes.
    static let smallFile: [UInt8] = (0..<2).flatMap { number in
        var page = [UInt8](repeating: 0, count: 512)
        (page[0], page[10]) = (UInt8(number), 0x08)
        (page[16], page[17], page[18], page[19], page[20]) = (0xDE, 0xC0, 0xEF, 0xBE, 1)
        (page[41], page[44], page[136]) = (2, 8, 1)
        for offset in Array(80..<88) + Array(128..<136) { page[offset] = 0xFF }
        return page
    }

    /// The file with the edits.
    let file = MemoryFile()
    /// A file that ``copy()`` makes the same.
    let writable = MemoryFile()
    private let base: [UInt8]
    private(set) var count: Int
    /// The places that differ from the base.
    private var edited: [Range<Int>] = []

    init(_ base: [UInt8]) {
        self.base = base
        count = base.count
        file.write(base, at: 0)
    }

    /// Makes `bytes` the whole file.
    func replace(by bytes: [UInt8]) {
        resize(to: bytes.count)
        file.write(bytes, at: 0)
        edited.append(0..<base.count)
    }

    /// Draws edits of six bytes each: what to do, the page, the offset in it, and two bytes of a value.
    func apply(_ input: inout FuzzedBytes) {
        while !input.isAtEnd {
            let (operation, page) = (input.byte(), input.number(below: base.count / Self.pageSize))
            let offset = (Int(input.byte()) | Int(input.byte()) << 8) % (Self.pageSize - 8)
            let value = [input.byte(), input.byte()]
            let place = page * Self.pageSize + (operation & 8 == 0 ? offset : offset % 64)
            switch operation % 8 {
            case 0: change(value, at: place)
            case 6: change([value[0]], at: placeOfNode(page, offset % 16) + Int(value[1] % 12))
            case 1: change([value[0]], at: place)
            case 2, 7: change([base[place] ^ 1 << (value[0] % 8)], at: place)
            case 3: change(value + [0, 0, 0, 0, 0, 0], at: place)
            case 4:
                let other = Int(value[0]) % (base.count / Self.pageSize) * Self.pageSize
                change(Array(base[other..<other + Self.pageSize]), at: page * Self.pageSize)
            default: resize(to: place + Int(value[0]) * Self.pageSize)
            }
        }
    }

    /// Makes the file the base again.
    func restore() {
        if count != base.count {
            resize(to: base.count)
            edited = [0..<base.count]
        }
        for range in edited { file.write(Array(base[range]), at: range.lowerBound) }
        edited = []
    }

    /// Makes ``writable`` a copy of the file.
    func copy() {
        writable.resize(to: count)
        writable.write(file.bytes, at: 0)
    }

    /// The place of a node of a page: its header of eight bytes, then its key.
    private func placeOfNode(_ page: Int, _ slot: Int) -> Int {
        let place = page * Self.pageSize + 16 + 2 * slot
        let offset = Int(base[place]) | Int(base[place + 1]) << 8
        return page * Self.pageSize + min(offset, Self.pageSize - 16)
    }

    private func change(_ bytes: [UInt8], at place: Int) {
        let bytes = bytes.prefix(max(0, count - place))
        file.write(Array(bytes), at: place)
        edited.append(place..<min(place + bytes.count, base.count))
    }

    private func resize(to size: Int) {
        file.resize(to: size)
        count = size
    }
}
