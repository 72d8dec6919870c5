import CCurfew

/// A descriptor that is closed when nobody holds it any more.
package final class OwnedDescriptor {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    deinit { _ = curfew_close(number) }
}
