// Proves for a data file with any damage: the check of its pages ends without a trap and reads each page once; a file
// that it accepts is one that liblmdb reads in full, and writes to, without ending the process or spreading damage.

import CLMDB

@testable import LarderEngine

enum FuzzTarget {
    /// Runs of edits, as ``DamagedFile/apply(_:)`` reads them, and two small files.
    static let seeds: [[UInt8]] =
        [
            [1], [1, 0, 0, 40, 0, 16, 0], [1, 1, 2, 12, 0, 40, 0], [1, 2, 3, 90, 1, 1, 0], [1, 3, 4, 0, 0, 5, 0],
            [1, 4, 5, 0, 0, 6, 0], [1, 5, 9, 0, 0, 0, 0], [1, 0, 5, 16, 0, 0, 15, 2, 6, 200, 1, 3, 0],
            [1, 0, 5, 200, 0, 7, 7, 0, 6, 0, 8, 9, 9], [0] + DamagedFile.smallFile,
        ] + (2..<24).map { [1, 6, $0, 0, 0, 255, 8] } + (48..<52).map { [1, 14, $0, 0, 0, 0, 8] }

    private static let damaged = DamagedFile(RawEnvironment.makeSample())

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let isWhole = input.byte() % 2 == 0
        if isWhole { damaged.replace(by: input.remainder()) } else { damaged.apply(&input) }
        defer { damaged.restore() }
        do {
            let descriptor = try FileDescriptor(damaged.file.path, 0)
            let pages = try MetaPages(descriptor)
            try pages.validate(descriptor, isThorough: damaged.count % 2 == 0)
            let size = UInt64(damaged.count)
            let walk = try PageWalk(pages.newest, pageSize: pages.pageSize, descriptor, mostProblems: 50)
            try walk.run()
            require(walk.problems.count <= 50, "\(walk.problems.count) problems are reported")
            require(walk.pagesRead * pages.pageSize <= size, "\(walk.pagesRead) pages are read")
            try checkSteps(pages, descriptor, isSound: walk.problems.isEmpty)
            guard walk.problems.allSatisfy(\.isContained) else { return }
            try checkUse(pages, descriptor, isSound: walk.problems.isEmpty)
        } catch let error as EngineError {
            // Any other error of the system would be one of the machine.
            if !error.isOfStoredBytes, error != .foreignDatabase { fatalError("\(error)") }
        } catch {
            fatalError("\(error)")
        }
    }

    /// Checks that a walk in steps ends, and finds nothing in a file without problems.
    private static func checkSteps(_ pages: MetaPages, _ file: FileDescriptor, isSound: Bool) throws {
        var position: PageWalk.Position?
        var steps: UInt64 = 0
        repeat {
            let walk = try PageWalk(pages.newest, pageSize: pages.pageSize, file, mostProblems: 50)
            position = try walk.step(from: position, pages: 12)
            steps += 1
            require(steps <= pages.newest.lastPage + 2, "a walk in steps does not end")
            require(!isSound || walk.problems.isEmpty, "a step finds problems in a sound file: \(walk.problems)")
        } while position != nil
    }

    /// Checks that the engine and liblmdb find every entry of an accepted file, and that writes leave it sound.
    private static func checkUse(_ pages: MetaPages, _ descriptor: FileDescriptor, isSound: Bool) throws {
        let size = try descriptor.identity().size
        let census = PageCensus(pages.newest, pageSize: pages.pageSize, fileSize: size)
        let tables = try census.tables(descriptor)
        let end = min(pages.newest.lastPage + 1, size / pages.pageSize)
        var counts: [String: Int] = [:]
        for table in tables {
            let tree = PageTree(description: table.tree, pageSize: pages.pageSize, pageEnd: end)
            var count = 0
            try tree.forEach(in: descriptor) { page, node throws(EngineError) in
                count += 1
                guard node == page.nodes.first || node == page.nodes.last else { return }
                let found = try tree.find(Array(page.bytes[page.key(node)]), in: descriptor)
                require(found?.page.number == page.number && found?.node == node, "an entry is not found by its key")
            }
            require(UInt64(count) == table.tree.entries, "\(count) entries of \(table.tree.entries)")
            // A name that C cannot say is no table of ours.
            if !table.name.utf8.contains(0), !table.name.contains("\u{FFFD}") { counts[table.name] = count }
        }
        let reader = RawEnvironment(damaged.file.path, isReadOnly: true)
        require(!isSound || reader != nil, "liblmdb does not open the file")
        for (name, count) in counts {
            let found = reader?.countEntries(of: name)
            require(!isSound || found == count, "liblmdb finds \(found ?? -1) of \(count) entries")
        }
        reader?.close()
        damaged.copy()
        guard let writer = RawEnvironment(damaged.writable.path, isReadOnly: false) else { return }
        let code = writer.change(counts.keys.sorted())
        writer.close()
        guard isSound else { return }
        require(code == 0 || code == MDB_MAP_FULL, "liblmdb does not write: \(code)")
        try checkCopy()
    }

    /// Checks that liblmdb left a sound file sound.
    private static func checkCopy() throws {
        let descriptor = try FileDescriptor(damaged.writable.path, 0)
        let pages = try MetaPages(descriptor)
        try pages.validate(descriptor, isThorough: true)
        let walk = try PageWalk(pages.newest, pageSize: pages.pageSize, descriptor, mostProblems: 50)
        try walk.run()
        require(walk.problems.isEmpty, "writes spread damage: \(walk.problems)")
    }
}
