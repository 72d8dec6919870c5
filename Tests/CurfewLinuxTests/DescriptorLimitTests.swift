import CurfewLinux
import Testing

@Suite("How many descriptors who may take")
struct DescriptorLimitTests {
    @Test(
        "Some are left for operators, and some for nobody but ourselves",
        arguments: [8, 12, 20, 64, 100, 256, 1024, 1 << 30])
    func bounds(count: Int) {
        let limit = DescriptorLimit(count: count)
        let numbers = max(0, count - 200)..<count
        let forApp = numbers.filter { limit.allows(Int32($0), forApp: true) }.count
        let forOperators = numbers.filter { limit.allows(Int32($0), forApp: false) }.count
        #expect(numbers.count - forOperators >= 2)
        #expect(numbers.count - forOperators <= 16)
        #expect(forOperators - forApp >= 1)
        #expect(forOperators - forApp <= 32)
        #expect(forApp > 0)
    }

    @Test("Few are scarce, many are ample")
    func scarce() {
        #expect(DescriptorLimit(count: 12).isScarce)
        #expect(!DescriptorLimit(count: 64).isScarce)
        #expect(!DescriptorLimit(count: 64).isAmple)
        #expect(DescriptorLimit(count: 1024).isAmple)
    }
}
