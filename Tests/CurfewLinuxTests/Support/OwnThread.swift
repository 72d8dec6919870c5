import Glibc

/// Runs it to its end on a new thread, which isn't the process's first.
func onThreadOfItsOwn(_ body: () throws -> Void) throws {
    final class Box {
        let body: () throws -> Void
        var error: (any Error)?
        init(_ body: @escaping () throws -> Void) { self.body = body }
    }
    try withoutActuallyEscaping(body) { body in
        let box = Box(body)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let box = Unmanaged<Box>.fromOpaque(argument).takeUnretainedValue()
                do { try box.body() } catch { box.error = error }
                return nil
            }, Unmanaged.passUnretained(box).toOpaque())
        pthread_join(thread, nil)
        if let error = box.error { throw error }
    }
}
