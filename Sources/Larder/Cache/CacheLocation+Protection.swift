#if canImport(Darwin)
public import Foundation

extension CacheLocation {
    /// Excludes the directory from backups, or includes it again; creates it when it does not exist.
    ///
    /// A backup contains unsent writes, which a restored device sends again. Without one they are lost with the device.
    /// Call it before or after the cache is opened.
    ///
    /// - Parameter isExcluded: whether backups leave the directory out.
    /// - Throws: errors of Foundation.
    public func excludeFromBackup(_ isExcluded: Bool = true) throws {
        try create()
        var directory = URL(filePath: path, directoryHint: .isDirectory)
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        try directory.setResourceValues(values)
    }

    /// Sets the data protection class of the directory and of the files in it; creates the directory when it does not
    /// exist.
    ///
    /// Files that are created later get the class of the directory. `lock.mdb`, which has no content, keeps its class,
    /// because setting one would release the locks of an open cache. With the class `complete` the files cannot be
    /// read while the device is locked, so that runs in the background fail.
    ///
    /// - Parameter protection: the class; `completeUntilFirstUserAuthentication` is the default of iOS.
    /// - Throws: errors of Foundation.
    public func protect(_ protection: FileProtectionType) throws {
        try create()
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: path).filter { $0 != "lock.mdb" }
        for file in [path] + names.map({ path + "/" + $0 }) {
            try files.setAttributes([.protectionKey: protection], ofItemAtPath: file)
        }
    }

    private func create() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
#endif
