package dev.sluice.bench.systems;

import java.io.Serializable;
import java.time.Duration;

/**
 * A library under test, as a chapter uses it in separate processes.
 *
 * @param chapter the chapter that it takes part in
 * @param id its name in tables
 * @param description what is used of it, and how
 * @param engine what it runs on
 * @param masters how many masters its Redis cluster has, 0 if it needs no cluster
 * @param open opens a client
 */
public record Candidate(
    String chapter, String id, String description, Engine engine, int masters, Opener open)
    implements Serializable {
  /** Opens a client; it is serialised, since a worker process runs it. */
  public interface Opener extends Serializable {
    /**
     * Opens one.
     *
     * @param uri of its engine
     * @param ttl length of a lease where the library renews it; 30 s is the default of all
     */
    Library open(String uri, Duration ttl) throws Exception;
  }

  @Override
  public String toString() {
    return chapter + "/" + id;
  }
}
