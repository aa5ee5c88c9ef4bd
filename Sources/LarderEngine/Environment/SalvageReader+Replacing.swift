#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension SalvageReader {
    /// Whether `guard.lock` shows that the file is a store's.
    package var isMarked: Bool { (try? guardFile?.isMarked()) == true }

    /// Puts the data file of a new store in the place of the damaged one, which stays beside it as `damaged.mdb`.
    ///
    /// A kill at any time leaves one of both in place. Files with words are removed.
    ///
    /// - Parameter build: makes the new store in the directory that it receives, and closes it.
    /// - Throws: what `build` throws, with the damaged file in place; the errors of the system.
    package func replaceDataFile(_ build: (_ path: String) throws -> Void) throws {
        directory.removeLeftoverTemporaries()
        let (temporary, name) = try directory.makeTemporary("salvage-\(getpid())")
        defer { directory.removeTemporary(name) }
        try build(temporary.path)
        try StoreDirectory.removeFiles(StoreDirectory.contentNames, in: lock)
        let damaged = directory.path + "/" + StoreDirectory.damagedName
        if unsafe link(directory.dataPath, damaged) != 0 { throw EngineError(code: errno, operation: "link") }
        try directory.install(temporary.dataPath)
        guard let guardFile = try GuardFile.existing(in: directory, isReadOnly: false) else { return }
        try guardFile.markClean(
            data: directory.openFile(named: StoreDirectory.dataName, O_RDONLY), in: directory)
    }
}

extension StoreDirectory {
    /// Removes the second name of a data file that a killed ``SalvageReader/replaceDataFile(_:)`` was about to replace.
    func endKilledReplacement() throws(EngineError) {
        guard let damaged = try FileIdentity.of(path + "/" + Self.damagedName),
            try damaged == FileIdentity.of(dataPath)
        else { return }
        try Self.removeFiles([Self.damagedName], in: FileDescriptor(path, O_RDONLY | O_DIRECTORY))
    }
}
