public import LarderEngine

/// How a store is opened.
public struct StoreOptions: Hashable, Sendable {
    /// Whether the store may be changed.
    public var access: EnvironmentOptions.Access
    /// The map's size at first, in bytes of address space.
    public var mapSize: Int
    /// The size beyond which the store never grows, in bytes.
    public var mapSizeCap: Int
    /// Reader slots to ask for.
    public var maximumReaders: Int

    /// Options with the defaults of a 64-bit machine.
    public init(
        access: EnvironmentOptions.Access = .readWrite, mapSize: Int = EnvironmentOptions.defaultMapSize,
        mapSizeCap: Int = EnvironmentOptions.defaultMapSize, maximumReaders: Int = 126
    ) {
        self.access = access
        self.mapSize = mapSize
        self.mapSizeCap = mapSizeCap
        self.maximumReaders = maximumReaders
    }

    var environment: EnvironmentOptions {
        EnvironmentOptions(
            access: access, tables: Tables.names, mapSize: mapSize, mapSizeCap: mapSizeCap,
            maximumReaders: maximumReaders)
    }
}
