/**
 * Distributed locks with fencing tokens, rate limits, Bloom filters, and the in-memory backend.
 * Needs the JDK, and hash4j, which needs nothing else.
 */
@SuppressWarnings("module") // the test kit is built after core, so it is not seen from here
module dev.sluice.core {
  requires com.dynatrace.hash4j;
  requires static java.net.http; // for who sends a fencing token by it
  requires static org.jspecify;

  exports dev.sluice;
  exports dev.sluice.bloom;
  exports dev.sluice.guard;
  exports dev.sluice.inventory;
  exports dev.sluice.latch;
  exports dev.sluice.limit;
  exports dev.sluice.lock;
  exports dev.sluice.spi;
  exports dev.sluice.text;
  exports dev.sluice.memory;

  // The decisions: a store that keeps rows runs them, and those who check stores compare with them.
  exports dev.sluice.state to
      dev.sluice.jdbc,
      dev.sluice.replay,
      dev.sluice.testkit,
      dev.sluice.verification;
  exports dev.sluice.state.grant to
      dev.sluice.jdbc,
      dev.sluice.replay,
      dev.sluice.testkit,
      dev.sluice.verification;

  // The simulation drives the real engine with its own clock, scheduler and faulty rules.
  exports dev.sluice.internal.call to
      dev.sluice.cache,
      dev.sluice.verification;
  exports dev.sluice.internal.limit to
      dev.sluice.cache; // counts loads in memory
  exports dev.sluice.internal.lock to
      dev.sluice.verification;

  uses dev.sluice.spi.BackendProvider;

  provides dev.sluice.spi.BackendProvider with
      dev.sluice.memory.MemoryBackendProvider;
}
