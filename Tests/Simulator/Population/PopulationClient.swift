// PopulationClient: one client of a population, as the loop of events sees it.

package import LarderTransport

/// An event for one client.
package enum ClientStimulus: Sendable {
    /// The program is launched.
    case start
    /// The timer that the client armed has fired.
    case timer
    /// A request of the client, by its number, has ended.
    case reply(UInt64, ServerReply)
    /// A push reports a change of the content.
    case push
    /// The link of the client is up or down.
    case network(isUp: Bool)
    /// The user makes a write.
    case write
}

/// The end of a request.
package enum ServerReply: Hashable, Sendable {
    /// The server did what was requested.
    case served
    /// The connection was refused.
    case refused
    /// The connection ended before the response did.
    case lost
    /// The server has too much to do (503), and requests a wait of so many seconds, if any.
    case overloaded(retryAfter: Int?)
}

/// An action of one client.
package enum ClientAction: Sendable {
    /// Send a request; its end is reported by ``ClientStimulus/reply(_:_:)`` with the same number.
    case send(UInt64)
    /// Set the timer to this monotonic time, in place of the one set before; nil clears it.
    case arm(Duration?)
    /// The client has reached its aim: its content is in step, or the server has its write.
    case finished
}

/// A client of a population: a machine as it ships, without store and network.
package protocol PopulationClient {
    /// Handles an event, and returns the actions to perform.
    mutating func handle(_ stimulus: ClientStimulus, at reading: ClockReading) -> [ClientAction]
}
