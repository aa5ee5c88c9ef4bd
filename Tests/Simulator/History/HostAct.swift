// HostAct: one thing that happens around the client in a history.

internal import LarderFormat
package import LarderSync
package import LarderTransport

/// One thing that happens around the client in a history.
package enum HostAct: Hashable, Sendable {
    /// The server's content changes, drawn from this seed.
    case mutate(seed: UInt64)
    /// The snapshot of a resource is unavailable from now on; the server answers this status, or with 200 nonsense.
    case failSnapshot(group: String, id: Int64, status: Int)
    /// Every snapshot is available again.
    case restoreSnapshots
    /// The link is another; exchanges under way break.
    case network(NetworkState)
    /// Something answers in the server's place, or does not any more.
    case portal(Bool)
    /// The power is another.
    case power(PowerState)
    /// The host forces the client offline, or lets it go.
    case forcedOffline(Bool)
    /// The program comes to the foreground.
    case foreground
    /// The server says that something has changed, in one filter or somewhere.
    case push(ResourceFilter?)
    /// A reader opens a resource.
    case open(group: String, id: Int64)
    /// Somebody asks for a run.
    case manual(ResourceFilter?)
    /// The credentials are new.
    case signedIn
    /// A filter is to be kept in step.
    case add(ResourceFilter, SyncPriority)
    /// A filter is not to be kept in step any more, and what only it held is to go.
    case remove(ResourceFilter)
    /// The process is killed; the next one asks for pages of this size.
    case kill(perPage: Int)
    /// The service is shut down and begun again.
    case restart
    /// Somebody sets the wall clock, by so many milliseconds.
    case setClock(Int64)
    /// A timer goes off that was taken back too late.
    case strayTimer
    /// Somebody writes, drawn from this seed.
    case write(seed: UInt64)
    /// A write that was not sent yet is edited, drawn from this seed.
    case edit(seed: UInt64)
    /// A further write of a row that one is pending for, which may be merged into that one, drawn from this seed.
    case rewrite(seed: UInt64)
    /// The host drops the rows of a resource.
    case evict(group: String, id: Int64)
    /// The host keeps a resource offline.
    case keep(group: String, id: Int64)
    /// Somebody signs in, or tries to.
    case signIn(String)
    /// Whoever is signed in signs out; what is unsent is sealed, or keeps it from being done.
    case signOut(seals: Bool)
    /// The server takes the credentials of writes no more, until somebody signs in again.
    case expire
    /// Somebody wants all writes tried again.
    case retryWrites
    /// The server takes no writes for so many seconds; it says for how long, or it does not.
    case outage(Int64, isAnnounced: Bool)
}

extension HostAct: CustomStringConvertible {
    /// One line for a trace.
    package var description: String {
        switch self {
        case .mutate: "mutate"
        case .failSnapshot(let group, let id, let status): "break \(group)/\(id): \(status)"
        case .restoreSnapshots: "restore snapshots"
        case .network(let state):
            "network \(state.level.rawValue)\(state.isConnected ? "" : ", no link")"
        case .portal(let isOn): isOn ? "portal up" : "portal gone"
        case .power(let state): "power \(state.rawValue)"
        case .forcedOffline(let isForced): isForced ? "forced offline" : "forced no more"
        case .foreground: "foreground"
        case .push(let filter): "push \(filter?.description ?? "any")"
        case .open(let group, let id): "open \(group)/\(id)"
        case .manual(let filter): "manual \(filter?.description ?? "all")"
        case .signedIn: "signed in"
        case .add(let filter, let priority): "add \(filter) \(priority)"
        case .remove(let filter): "remove \(filter)"
        case .kill(let perPage): "die, then per_page \(perPage)"
        case .restart: "restart"
        case .setClock(let jump): "clock set by \(jump)"
        case .strayTimer: "stray timer"
        case .write: "write"
        case .edit: "edit"
        case .rewrite: "write again"
        case .evict(let group, let id): "evict \(group)/\(id)"
        case .keep(let group, let id): "keep \(group)/\(id)"
        case .signIn(let account): "sign in as \(account)"
        case .signOut(let seals): "sign out\(seals ? ", sealing" : "")"
        case .expire: "credentials expire"
        case .retryWrites: "retry writes"
        case .outage(let seconds, let isAnnounced):
            "no writes for \(seconds) s\(isAnnounced ? ", as the server says" : "")"
        }
    }
}

/// A step of a history's plan: an act, and how long after the one before.
package struct PlannedAct: Hashable, Sendable {
    /// What is waited for.
    package enum Wait: Hashable, Sendable {
        /// So many steps of the client, fewer when it idles.
        case steps(Int)
        /// So many milliseconds of virtual time.
        case time(Int64)
    }

    /// How long after the act before.
    package let wait: Wait
    /// What happens.
    package let act: HostAct
}
