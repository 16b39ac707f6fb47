package dev.sluice.bench.torture;

import dev.sluice.verification.torture.LockClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock, renewed by its watchdog. */
public final class RedissonPeer implements LockClient {
  private static final int REQUEST_TIMEOUT_MILLIS = 500;

  private @Nullable RedissonClient redisson;

  /** For {@link java.util.ServiceLoader}. */
  public RedissonPeer() {}

  @Override
  public String word() {
    return "redisson";
  }

  @Override
  public void open(String uri, Duration ttl) {
    redisson = connect(uri, ttl);
  }

  static RedissonClient connect(String uri, Duration ttl) {
    Config config = new Config();
    config.setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress(uri).setTimeout(REQUEST_TIMEOUT_MILLIS);
    return Redisson.create(config);
  }

  @Override
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    RedissonClient open = redisson;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    RLock lock = open.getLock(name);
    boolean taken = lock.tryLock(wait.toMillis(), -1, TimeUnit.MILLISECONDS);
    return taken ? new JucHold(lock, 0) : null;
  }

  @Override
  public void close() {
    if (redisson != null) {
      redisson.shutdown();
    }
  }
}
