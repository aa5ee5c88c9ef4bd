internal import LarderEngine
internal import Logging

extension Store {
    /// Replaces the file of the store at `path` by what can be read of it; returns nil where nothing shows that it is a
    /// store's.
    static func recover(
        at path: String, from cause: any Error, _ options: StoreOptions, _ host: HostServices
    ) throws -> StoreRecovery? {
        let reader = try SalvageReader(storeAt: path, lockTimeout: options.lockTimeout)
        guard reader.isMarked else { return nil }
        var saved: SalvageReport?
        try reader.replaceDataFile { newPath in
            saved = try salvage(reader, to: newPath, host, (options.encryption, options.compression)) { _, _ in }
        }
        guard let report = saved else { return nil }
        host.logger.error(
            "the file was damaged, and was replaced by what can be read of it",
            metadata: [
                "cause": "\(cause)", "records": "\(report.recordCount)", "writes": "\(report.writeCount)",
                "lost writes": "\(report.lostWrites.count)",
                "incomplete resources": "\(report.incompleteResources.count)",
            ])
        return StoreRecovery(cause: "\(cause)", report: report)
    }

    /// Whether an error reports stored bytes that are not what they should be.
    package static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as EngineError: error.isOfStoredBytes
        case StoreError.damaged, StoreError.tableLost: true
        default: false
        }
    }
}
