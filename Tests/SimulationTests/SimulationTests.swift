import Foundation
import LarderTesting
import Testing

struct SimulationTests {
}
