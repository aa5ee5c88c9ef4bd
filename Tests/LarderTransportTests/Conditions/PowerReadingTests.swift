// Proves that battery readings map to the right power states.

import LarderTransport
import Testing

@Suite struct `A reading of the battery` {
    @Test(arguments: [
        (1.0, PowerState.normal), (0.15, .normal), (0.149, .saver), (0.05, .saver), (0.049, .critical), (0, .critical),
    ])
    func `is saver below 15 percent and critical below 5`(battery: Double, state: PowerState) {
        #expect(PowerReading(battery: battery).state() == state)
    }

    @Test func `is normal while the device charges, however empty`() {
        #expect(PowerReading(battery: 0.01, isCharging: true).state() == .normal)
    }

    @Test func `is saver in low power mode, charging or not`() {
        #expect(PowerReading(battery: 0.9, isLowPowerMode: true).state() == .saver)
        #expect(PowerReading(battery: 0.01, isCharging: true, isLowPowerMode: true).state() == .saver)
        #expect(PowerReading(battery: nil, isLowPowerMode: true).state() == .saver)
    }

    @Test func `stays critical in low power mode`() {
        #expect(PowerReading(battery: 0.04, isLowPowerMode: true).state() == .critical)
    }

    @Test(arguments: [nil, -1, 1.01, .nan, .infinity, -.infinity] as [Double?])
    func `without a charge that makes sense is normal`(battery: Double?) {
        let reading = PowerReading(battery: battery)
        #expect(reading.battery == nil)
        #expect(reading.state() == .normal)
    }

    @Test func `keeps to the thresholds it is given`() {
        let reading = PowerReading(battery: 0.3)
        #expect(reading.state(saverBelow: 0.5) == .saver)
        #expect(reading.state(saverBelow: 0.5, criticalBelow: 0.4) == .critical)
        #expect(reading.state(saverBelow: 0, criticalBelow: 0) == .normal)
    }
}
