package dev.sluice.redis;

import dev.sluice.Sluice;
import java.time.Duration;

/** Clients that wait for a slow machine, where a test is not about how long they wait. */
public final class PatientClient {
  private static final Duration AGES = Duration.ofSeconds(30);

  private PatientClient() {}

  /**
   * A client.
   *
   * @param uri of the server
   * @return an open client
   */
  public static Sluice connect(String uri) {
    return Sluice.builder().uri(uri).requestTimeout(AGES).build();
  }
}
