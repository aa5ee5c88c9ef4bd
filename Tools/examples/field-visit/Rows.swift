import Foundation
import Larder

/// A shop to visit, as the server publishes it.
struct Outlet: CachedRow, Equatable {
    static let schema = RowSchema("outlet", in: .resource("outlets/1"), columns: "longitude", index: "latitude")
    let id: Int
    let name: String
    let latitude: Double
    let longitude: Double

    var place: Place { Place(latitude: latitude, longitude: longitude) }
}

/// A visit to an outlet: written by the device, and shown at once.
struct Visit: LocalRow, Equatable {
    static let schema = RowSchema("visit", in: .resource("visits/1"))
    let id: String
    let outlet: Int
    let account: String
    var note: String
    var latitude: Double?
    var longitude: Double?
    /// The size of the photo that the server has, in bytes; nil for none.
    var photo: Int?
}

/// A place on the earth, in degrees.
struct Place: Equatable, Sendable {
    let latitude: Double
    let longitude: Double

    /// Returns the distance along the surface, in metres, by the haversine formula.
    func distance(to other: Place) -> Double {
        func half(_ degrees: Double) -> Double {
            let sine = sin(degrees * .pi / 360)
            return sine * sine
        }
        let a =
            half(other.latitude - latitude) + cos(latitude * .pi / 180) * cos(other.latitude * .pi / 180)
            * half(other.longitude - longitude)
        return 2 * 6_371_000 * asin(min(1, a.squareRoot()))
    }
}
