public import Larder
public import LarderOutbox
internal import LarderStore
public import LarderTransport

extension CacheServices {
    /// Returns services for tests: `transport` in place of a server, virtual time, a network and a battery that the
    /// test controls, and secrets in memory.
    ///
    /// ```swift
    /// let clock = VirtualClock()
    /// let transport = ScriptedTransport(clock: clock)
    /// transport.on(.put, "/notes/*").answer(503).then(200)
    /// let notes = try await ContentCache.open(
    ///     .temporary(), writes: "https://notes.test", rows: [Note.self], services: .scripted(transport, clock: clock))
    /// ```
    ///
    /// - Parameters:
    ///   - transport: Answers the requests.
    ///   - clock: The time.
    ///   - connectivity: The network; online by default.
    ///   - power: The power; normal by default.
    ///   - secrets: The storage for secrets; in memory by default, nil for none.
    ///   - seed: Selects the random numbers, so that a test repeats them. Two caches of one test share one value of
    ///     this type, or have different seeds: they would draw the same identities.
    public static func scripted(
        _ transport: any Transport, clock: VirtualClock, connectivity: any ConnectivitySource = ScriptedConnectivity(),
        power: any PowerSource = ScriptedPower(), secrets: (any SecretStore)? = MemorySecretStore(), seed: UInt64 = 1
    ) -> CacheServices {
        CacheServices(
            transport: transport, connectivity: connectivity, power: power, host: .virtual(clock, seed: seed),
            secrets: secrets)
    }
}
