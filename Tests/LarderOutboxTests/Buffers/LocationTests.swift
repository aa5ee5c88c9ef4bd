// Proves that a location is encoded as the server expects, and how often it is sampled.

import Foundation
import LarderFormat
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `A location of the device` {
    private let id = UUIDBytes(high: 0x7d9c_1a52_3e64_4f0b, low: 0x9a8d_1c2b_3a49_5867)

    private struct Numbers: Decodable {
        let latitude: Double
        let longitude: Double
        let accuracy: Double
    }

    private func object(_ point: LocationPoint) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(point.json))
        return try #require(object as? [String: Any])
    }

    @Test func `has the members that the server knows [§4.4.4] [§4.5.2]`() throws {
        var point = try #require(
            LocationPoint(id: id, latitude: -6.2, longitude: 106.8, accuracy: 12.5, timestamp: 1_777_975_500_250))
        point.batteryLevel = 0.42
        point.signalQuality = .fair
        point.visitID = "visit \"7\"\n"
        point.speed = 1.5
        point.source = .gps
        point.isMock = false
        let text = String(decoding: point.json, as: UTF8.self)
        #expect(
            text == """
                {"id":"7d9c1a52-3e64-4f0b-9a8d-1c2b3a495867","latitude":-6.2,"longitude":106.8,"accuracy":12.5,\
                "timestamp":"2026-05-05T10:05:00.250Z","battery_level":0.42,"signal_quality":"fair",\
                "visit_id":"visit \\"7\\"\\n","speed_mps":1.5,"source":"gps","is_mock":false}
                """)
        #expect(try object(point)["visit_id"] as? String == "visit \"7\"\n")
    }

    @Test func `says nothing of what is not known`() throws {
        let point = try #require(LocationPoint(id: id, latitude: 0, longitude: 0, accuracy: 0, timestamp: 0))
        #expect(Set(try object(point).keys) == ["id", "latitude", "longitude", "accuracy", "timestamp"])
    }

    @Test func `writes every number so that it reads back the same`() throws {
        var generator = SeededGenerator(seed: 5)
        let odd = [0, -0.0, Double.leastNonzeroMagnitude, 90, -90, 1e-7, 0.1 + 0.2, 1.0.nextUp, 89.99999999999999]
        for value in odd + (0..<500).map({ _ in Double.random(in: -90...90, using: &generator) }) {
            let point = try #require(
                LocationPoint(id: id, latitude: value, longitude: value, accuracy: abs(value), timestamp: 1))
            // The other reader of Foundation does not read every double right.
            let read = try JSONDecoder().decode(Numbers.self, from: Data(point.json))
            #expect(read.latitude == value && read.longitude == value && read.accuracy == abs(value), "\(value)")
        }
    }

    @Test func `is none when a number is outside its range, as sensors say that they know nothing`() throws {
        func point(_ latitude: Double, _ longitude: Double, _ accuracy: Double, _ time: Int64) -> LocationPoint? {
            LocationPoint(id: id, latitude: latitude, longitude: longitude, accuracy: accuracy, timestamp: time)
        }
        for bad in [Double.nan, .infinity, -.infinity, 91, -90.1] { #expect(point(bad, 0, 0, 0) == nil) }
        for bad in [Double.nan, 180.1, -.infinity] { #expect(point(0, bad, 0, 0) == nil) }
        for bad in [Double.nan, -1, .infinity] { #expect(point(0, 0, bad, 0) == nil) }
        for bad in [Int64.min, -1, 253_402_300_800_000, .max] { #expect(point(0, 0, 0, bad) == nil) }
        var known = try #require(point(0, 0, 0, 253_402_300_799_999))
        for bad in [Double.nan, -1, 1.01] {
            known.batteryLevel = bad
            #expect(known.batteryLevel == nil)
        }
        known.speed = -1
        #expect(known.speed == nil)
        #expect(try object(known)["timestamp"] as? String == "9999-12-31T23:59:59.999Z")
    }

    @Test func `encodes its time as the calendar does`() throws {
        let formatter = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            let time = Int64.random(in: UTCTime.range, using: &generator) / 1000 * 1000
            let date = Date(timeIntervalSince1970: Double(time / 1000))
            #expect(UTCTime.text(time) == date.formatted(formatter))
        }
        #expect(UTCTime.text(951_782_400_001) == "2000-02-29T00:00:00.001Z")
    }

    @Test func `of several is one body, the same for the same points [§4.4.3]`() throws {
        let body = UploadBody.encode([Array("{\"a\":1}".utf8), Array("{}".utf8)], as: "locations")
        #expect(String(decoding: body, as: UTF8.self) == "{\"locations\":[{\"a\":1},{}]}")
        #expect(BufferPolicy.locations.endpoint == "/app/v1/locations/batch")
        #expect(BufferPolicy.locations.mostPoints == 50 && BufferPolicy.locations.limit == 1000)
    }
}

@Suite struct `Reading the device's location` {
    private let policy = SamplingPolicy()

    @Test func `is done every 5, 15 or 30 minutes, or not at all [§4.4.2]`() {
        #expect(policy.interval(.normal, isForeground: true) == .seconds(5 * 60))
        #expect(policy.interval(.normal, isForeground: false) == .seconds(15 * 60))
        for isForeground in [true, false] {
            #expect(policy.interval(.saver, isForeground: isForeground) == .seconds(30 * 60))
            #expect(policy.interval(.critical, isForeground: isForeground) == nil)
        }
    }

    @Test(
        arguments: [
            (1.0, false, 15), (0.15, false, 15), (0.149, false, 30), (0.05, false, 30), (0.049, false, nil),
            (0.01, true, 15),
        ] as [(Double, Bool, Int?)])
    func `follows the charge of a device that does not charge [§4.4.2]`(
        battery: Double, isCharging: Bool, minutes: Int?
    ) {
        let reading = PowerReading(battery: battery, isCharging: isCharging)
        #expect(policy.interval(reading, isForeground: false) == minutes.map { .seconds($0 * 60) })
    }

    @Test func `may go on in the foreground with nearly no power, never in the background`() {
        var policy = policy
        policy.criticalForeground = .seconds(3600)
        #expect(policy.interval(.critical, isForeground: true) == .seconds(3600))
        #expect(policy.interval(.critical, isForeground: false) == nil)
    }

    @Test func `reports when power gets low, and when it is back [§4.4.2]`() async {
        #expect(PowerTransition.between(.normal, .saver) == .enteredSaver)
        #expect(PowerTransition.between(.saver, .critical) == .enteredCritical)
        #expect(PowerTransition.between(.critical, .saver) == .enteredSaver)
        #expect(PowerTransition.between(.saver, .normal) == .recovered)
        #expect(PowerTransition.between(.saver, .saver) == nil)
        let power = ScriptedPower(.saver)
        var transitions = power.transitions().makeAsyncIterator()
        #expect(await transitions.next() == .enteredSaver)
        power.set(.critical)
        #expect(await transitions.next() == .enteredCritical)
        power.set(.normal)
        #expect(await transitions.next() == .recovered)
    }
}
