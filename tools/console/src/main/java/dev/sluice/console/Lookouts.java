package dev.sluice.console;

import dev.sluice.Sluice;
import dev.sluice.spi.ClientParts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The samplers of one client, which end with it. Safe for use by many threads. */
final class Lookouts implements AutoCloseable {
  private final ClientParts parts;
  private final List<Sampler> samplers = new CopyOnWriteArrayList<>();

  Lookouts(ClientParts parts) {
    this.parts = parts;
  }

  Sampler add(Sluice sluice, EventLog events, Hints hints) {
    Sampler sampler = new Sampler(sluice, parts, events, hints);
    samplers.add(sampler);
    sampler.start();
    return sampler;
  }

  @Override
  public void close() {
    samplers.forEach(Sampler::close);
  }
}
