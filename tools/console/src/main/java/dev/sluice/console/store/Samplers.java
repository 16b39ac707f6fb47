package dev.sluice.console.store;

import dev.sluice.Sluice;
import dev.sluice.console.audit.EventLog;
import dev.sluice.spi.ClientParts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The samplers of one client, which are closed with it. Safe for use by many threads. */
public final class Samplers implements AutoCloseable {
  private final ClientParts parts;
  private final List<Sampler> samplers = new CopyOnWriteArrayList<>();

  public Samplers(ClientParts parts) {
    this.parts = parts;
  }

  public Sampler add(Sluice sluice, EventLog events, Hints hints) {
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
