package dev.sluice.spi;

/**
 * A monotonic clock. Only differences mean something.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Ticker {

  /** {@return the nanoseconds since an arbitrary time} */
  long nanos();

  /** {@return the JVM's monotonic clock} */
  static Ticker system() {
    return System::nanoTime;
  }
}
