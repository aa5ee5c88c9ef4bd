internal import LarderEngine
internal import Synchronization

/// An embedded, offline-first store of rows, sync state and writes waiting to be sent, in one file.
///
/// Reads run on the caller's thread against a snapshot and wait for nobody. Writes run one after the other on one
/// thread and share commits. All of it lies in one LMDB environment, so everything can change in one transaction.
public final class Store: Sendable {
    let environment: Environment
    let tables: Tables
    /// What the program around it supplied.
    package let host: HostServices
    let hub = ObservationHub()
    let commits: GroupCommit
    let stagingSlot = StagingSlot()
    /// Whether writes are refused: as asked for, or because a newer version has changed the file.
    public let isReadOnly: Bool

    init(environment: Environment, host: HostServices, isReadOnly: Bool) {
        self.environment = environment
        self.host = host
        self.isReadOnly = isReadOnly
        tables = Tables(environment.tables)
        commits = GroupCommit(environment: environment, tables: tables, hub: hub)
    }

    /// The directory the store lies in.
    public var path: String { environment.path }
}
