import CCurfew
import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew push`: a remote notification, from a file or standard input.
enum PushVerb {
    /// More than that no payload has, by far.
    private static let mostBytes = 65_536

    /// `directory`: where supervisors are looked for; nil: this user's.
    static func run(_ reader: ArgumentReader, in directory: RuntimeDirectory? = nil) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, in: directory)
        if let id = arguments.value("--apns-id"), !(1...64 ~= id.utf8.count) {
            throw reader.error("--apns-id: \"\(id)\" isn't an id, 1 to 64 bytes")
        }
        let target = try arguments.lookup.target(ofAny: arguments.operands[0])
        let payload: [UInt8]
        do throws(KernelError) {
            payload = try read(arguments.operands.count > 1 ? arguments.operands[1] : "-")
        } catch {
            StandardError.print("curfew: push: \(error.text)")
            return ExitStatus.failure
        }
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try push(payload, arguments, &client)
            if answer["ignored"] != nil {
                StandardError.print("curfew: push: that apns-id came before; nothing is delivered")
            }
            if arguments.has("--json") {
                let number = answer["push"].flatMap { Int64($0) }
                Output.print(.object(number.map { [("push", .integer($0))] } ?? []))
            }
        }
    }

    /// Too long for a line of the protocol, it is left in a file that the server takes away.
    private static func push(
        _ payload: [UInt8], _ arguments: VerbArguments, _ client: inout ControlClient
    ) throws(ControlClient.Failure) -> Message {
        var fields = [Field("id", "1")]
        if let id = arguments.value("--apns-id") { fields.append(Field("apns-id", id)) }
        let folder = arguments.lookup.orderFolder
        let file: String
        do throws(KernelError) { file = try OrderFile.write(payload, in: folder) } catch {
            throw .broken("the payload can't be left for it: \(error.text)")
        }
        defer { OrderFile.remove(file, in: folder) }
        return try client.request(Message("push", fields + [Field("order", file)])).final
    }

    /// `path`: `-` is standard input. Of what is longer than any payload no more than tells that.
    static func read(_ path: String) throws(KernelError) -> [UInt8] {
        var file = Descriptor(path == "-" ? 0 : curfew_open_at(AT_FDCWD, path, O_RDONLY, 0))
        guard file.isOpen else { throw KernelError("open", path, errno: -file.number) }
        defer { if path != "-" { file.close() } }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while bytes.count <= mostBytes {
            let count = curfew_read(file.number, &buffer, buffer.count)
            if count == -Int(EINTR) { continue }
            if count < 0 { throw KernelError("read", path, errno: Int32(-count)) }
            if count == 0 { break }
            bytes += buffer[..<Int(count)]
        }
        return bytes
    }
}
