package dev.sluice.bench.torture;

import dev.sluice.verification.torture.LockClient;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry, with its own renewal, woken by messages. */
public final class SpringPeer implements LockClient {
  private @Nullable LettuceConnectionFactory connections;
  private @Nullable RedisLockRegistry registry;
  private @Nullable ThreadPoolTaskScheduler renewals;

  /** For {@link java.util.ServiceLoader}. */
  public SpringPeer() {}

  @Override
  public String word() {
    return "spring";
  }

  @Override
  public void open(String uri, Duration ttl) {
    URI server = URI.create(uri);
    LettuceConnectionFactory opened =
        new LettuceConnectionFactory(server.getHost(), server.getPort());
    opened.afterPropertiesSet();
    opened.start();
    opened.getConnection().close(); // fails if no server answers
    connections = opened;
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setDaemon(true);
    scheduler.initialize();
    renewals = scheduler;
    registry = new RedisLockRegistry(opened, "spring", ttl);
    registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    registry.setRenewalTaskScheduler(scheduler);
  }

  @Override
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    RedisLockRegistry open = registry;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    Lock lock = open.obtain(name);
    boolean taken =
        wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
    return taken ? new JucHold(lock, 0) : null;
  }

  @Override
  public void close() {
    if (registry != null) {
      registry.destroy();
    }
    if (renewals != null) {
      renewals.destroy();
    }
    if (connections != null) {
      connections.destroy();
    }
  }
}
