package dev.sluice.bench.torture;

import dev.sluice.verification.torture.LockClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;

/** Redisson's RFencedLock, renewed by its watchdog, with its token. */
public final class RedissonFencedPeer implements LockClient {
  private @Nullable RedissonClient redisson;

  /** For {@link java.util.ServiceLoader}. */
  public RedissonFencedPeer() {}

  @Override
  public String word() {
    return "redisson-fenced";
  }

  @Override
  public void open(String uri, Duration ttl) {
    redisson = RedissonPeer.connect(uri, ttl);
  }

  @Override
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    RedissonClient open = redisson;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    RFencedLock lock = open.getFencedLock(name);
    Long token = lock.tryLockAndGetToken(wait.toMillis(), -1, TimeUnit.MILLISECONDS);
    return token == null ? null : new JucHold(lock, token);
  }

  @Override
  public void close() {
    if (redisson != null) {
      redisson.shutdown();
    }
  }
}
