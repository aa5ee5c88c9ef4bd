internal import LarderFormat
internal import LarderStore

extension Store {
    /// Rebuilds unreadable records that a run depends on, before it begins.
    ///
    /// - Parameter filter: the filter that is to be run; nil for a list, which has none.
    func restoreSyncState(for filter: ResourceFilter?) async throws {
        let damage = try read { view in try view.syncDamage() }
        if damage.isEmpty { return }
        try await write { transaction in
            try transaction.restore(damage, for: filter?.description) { resource in
                filter?.matches(group: resource.group, id: resource.id) ?? false
            }
        }
    }
}
