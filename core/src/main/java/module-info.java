/** Distributed locks with fencing tokens, and the in-memory backend. Needs the JDK alone. */
module dev.sluice.core {
  requires static org.jspecify;

  exports dev.sluice;
  exports dev.sluice.lock;
  exports dev.sluice.spi;
  exports dev.sluice.memory;

  uses dev.sluice.spi.BackendProvider;

  provides dev.sluice.spi.BackendProvider with
      dev.sluice.memory.MemoryBackendProvider;
}
