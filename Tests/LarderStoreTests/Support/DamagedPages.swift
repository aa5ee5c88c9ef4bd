// DamagedPages: damages the page of a stored value in a closed store.

import Foundation

/// Has every copy of a long value's node in the file name a page that is not there. The store must not be open.
func damagePage(ofValueUnder key: [UInt8], in directory: TemporaryStore) throws {
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    var found = 0
    var start = data.startIndex
    while let range = data.range(of: Data(key), in: start..<data.endIndex) {
        // The number of the first page of a long value follows its key.
        data.replaceSubrange(range.upperBound..<range.upperBound + 8, with: [UInt8](repeating: 0x7F, count: 8))
        found += 1
        start = range.upperBound
    }
    precondition(found > 0, "no such key in the file")
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: data)
    try handle.close()
}

/// Damages each leaf page that has a key or a value with some bytes, so that a check of the page finds it.
func damageLeaves(with bytes: [UInt8], in directory: TemporaryStore) throws {
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    for page in stride(from: 2 * 4096, to: data.count, by: 4096) where data[page + 10] == 2 {
        if data.range(of: Data(bytes), in: page..<page + 4096) != nil { data[page + 14] ^= 1 }
    }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: data)
    try handle.close()
}
