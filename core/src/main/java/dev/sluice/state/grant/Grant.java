package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;

import dev.sluice.lock.PermitInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Units of a name granted to one attempt of a client, taken or still reserved for its ticket. Not
 * thread-safe.
 */
public final class Grant {
  /** The owner. */
  public final String client;

  /** The granted attempt of the client. */
  public final long attempt;

  final long token;
  final int block;
  final long since;

  /** The units of the grant. */
  int units;

  long ttl;
  long expiresAt;

  /** Handed over, and not yet taken by its client. */
  boolean pending;

  /**
   * The store has sent the client a message that another client waits, since the client's last
   * renewal.
   */
  boolean wanted;

  Grant(String client, long attempt, int units, long token, int block, long ttl, long now) {
    this.client = client;
    this.attempt = attempt;
    this.units = units;
    this.token = token;
    this.block = block;
    this.ttl = ttl;
    this.since = now;
    this.expiresAt = now + ttl;
  }

  boolean is(String client, long attempt) {
    return this.attempt == attempt && this.client.equals(client);
  }

  /** The latest end, after any clock step. */
  long end(long now) {
    return Math.min(expiresAt, now + (pending ? CLAIM_MICROS : ttl));
  }

  PermitInfo.Holder shown(long now) {
    return new PermitInfo.Holder(
        client,
        attempt,
        units,
        token,
        Instant.EPOCH.plus(since, ChronoUnit.MICROS),
        Duration.of(end(now) - now, ChronoUnit.MICROS));
  }
}
