import CurfewWire
import Glibc

/// What a source finds as its environment: the server's, with some variables besides or in place.
struct SourceEnvironment {
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ variables: [Field]) {
        let variables = variables.filter { !$0.value.utf8.contains(0) }
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var index = 0
        while let entry = environ[index] {
            index += 1
            if !variables.contains(where: { strncmp(entry, $0.key + "=", $0.key.utf8.count + 1) == 0 }) {
                // As it is: it needn't be UTF-8.
                entries.append(strdup(entry))
            }
        }
        for variable in variables { entries.append(strdup(variable.key + "=" + variable.value)) }
        entries.append(nil)
        count = entries.count
        pointer = .allocate(capacity: count)
        pointer.initialize(from: entries, count: count)
    }

    func free() {
        for index in 0..<count { Glibc.free(pointer[index]) }
        pointer.deallocate()
    }
}
