private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Inspecting a file that may be another program's, without creating or changing anything beside it.
extension Environment {
    /// Returns the guard of a file that `inspect` accepts; creates one when there is none. The directory is locked.
    ///
    /// A directory whose `guard.lock` has our mark was accepted before.
    ///
    /// - Throws: as ``inspectFile(at:_:_:_:)``.
    static func verifiedGuardFile(
        _ directory: StoreDirectory, _ options: EnvironmentOptions, isReadOnly: Bool, _ inspect: Inspection
    ) throws -> GuardFile {
        let known = try GuardFile.existing(in: directory, isReadOnly: isReadOnly)
        if try known?.isMarked() != true { try inspectFile(at: directory, known, options, inspect) }
        return try known ?? GuardFile.make(in: directory)
    }

    /// Passes the content of the file to `inspect`, through liblmdb. The directory is locked.
    ///
    /// - Throws: the errors of ``validate(_:_:_:isOurs:)``; ``EngineError/replaced`` when another directory got the path
    ///   meanwhile; what `inspect` throws.
    static func inspectFile(
        at directory: StoreDirectory, _ guardFile: GuardFile?, _ options: EnvironmentOptions, _ inspect: Inspection
    ) throws {
        let isExclusive = try validate(directory, guardFile, options, isOurs: false).isExclusive
        // A lock file in use belongs to the program that uses it; otherwise none is needed.
        let usesLockFile = try !isExclusive || directory.isLockFileHeld() != false
        var options = options
        options.access = .readOnly
        let handle = unsafe try openHandle(directory.path, options, isExclusive: false, usesLockFile: usesLockFile)
        defer { unsafe mdb_env_close(handle) }
        // liblmdb opened the path, which may have become that of another directory.
        var number: mdb_filehandle_t = -1
        try check(unsafe mdb_env_get_fd(handle, &number), "mdb_env_get_fd")
        if try FileDescriptor.identity(of: number).file != directory.dataIdentity() { throw EngineError.replaced }
        _ = unsafe try inspectedTables(handle, options, guarding: nil, inspect)
    }

    /// Returns one record of the file; nil when there is none, or its value is larger than a page. It is read without
    /// liblmdb, which trusts the pages that it maps. The directory is locked.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)`` and others for an invalid page.
    static func record(
        _ key: [UInt8], inTable name: String, of directory: StoreDirectory
    ) throws(EngineError) -> [UInt8]? {
        let file = try directory.openFile(named: StoreDirectory.dataName, O_RDONLY)
        let pages = try MetaPages(file)
        try pages.validate(file, isThorough: false)
        let pageEnd = min(pages.newest.lastPage + 1, try file.identity().size / pages.pageSize)
        /// The value of a key, where it is in the leaf.
        func find(_ key: [UInt8], isTree: Bool, in tree: TreeDescription) throws(EngineError) -> [UInt8]? {
            let tree = PageTree(description: tree, pageSize: pages.pageSize, pageEnd: pageEnd)
            guard let (page, node) = try tree.find(key, in: file), page.isTree(node) == isTree, !page.isLarge(node)
            else { return nil }
            return Array(page.stored(node))
        }
        guard let table = try find(Array(name.utf8), isTree: true, in: pages.newest.mainTree),
            table.count == TreeDescription.size
        else { return nil }
        return try find(key, isTree: false, in: TreeDescription(table))
    }
}
