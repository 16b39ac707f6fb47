package dev.sluice.bench.systems;

/** A library with Bloom filters, with a client and connections of its own. */
public interface BloomSystem extends AutoCloseable {
  /**
   * A new filter that all threads of a process share.
   *
   * @param size elements that it is for
   * @param rate rate of false positives with so many
   */
  Elements create(String name, int size, double rate);

  @Override
  void close();
}
