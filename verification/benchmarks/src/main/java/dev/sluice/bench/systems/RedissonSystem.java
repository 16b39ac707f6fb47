package dev.sluice.bench.systems;

import java.time.Duration;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock with default settings; the watchdog's period is its own default too, 30 s. */
final class RedissonSystem implements LockSystem {
  private final RedissonClient redisson;

  RedissonSystem(String uri, Duration ttl) {
    Config config = new Config();
    config.setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    return new JucMutex(redisson.getLock(name));
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
