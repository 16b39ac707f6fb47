package dev.sluice.cache;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.CacheKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The position of a load or a write in the queue of its key, in serial mode: a lock. */
final class Turn {
  /** The turn of calls that do not queue. */
  static final Turn NONE = new Turn(null);

  /** Beyond this a caller waits for two leases, so that it outlasts a load that hangs. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

  private static final int MAX_NAME = 512;

  private final @Nullable Lease lease;

  private Turn(@Nullable Lease lease) {
    this.lease = lease;
  }

  /**
   * Waits for the turn of a key.
   *
   * @param leaseMicros how long others wait for a process that died in its turn
   */
  static CompletableFuture<Turn> take(Sluice sluice, CacheKey at, long leaseMicros) {
    Duration lease = Duration.of(leaseMicros, ChronoUnit.MICROS);
    return sluice
        .lock(lockName(at), LockOptions.renewing(lease))
        .async()
        .acquire(MAX_WAIT.plus(lease.multipliedBy(2)))
        .thenApply(Turn::new)
        .toCompletableFuture();
  }

  private static String lockName(CacheKey at) {
    String name = "cache:" + at.cache() + ":" + at.key();
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_NAME) {
      return name;
    }
    try {
      return "cache:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets others have their turn. May be called again, without effect. */
  void end() {
    if (lease != null) {
      lease.releaseAsync();
    }
  }
}
