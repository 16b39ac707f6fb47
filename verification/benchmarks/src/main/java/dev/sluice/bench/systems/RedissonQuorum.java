package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's MultiLock: all of the locks, one on each server. */
final class RedissonQuorum implements LockSystem {
  private final List<RedissonClient> clients = new ArrayList<>();

  RedissonQuorum(String uri, Duration ttl) {
    for (String server : QuorumKind.servers(uri)) {
      Config config = new Config();
      config.setLockWatchdogTimeout(ttl.toMillis());
      config.useSingleServer().setAddress(server);
      clients.add(Redisson.create(config));
    }
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    RLock[] locks = clients.stream().map(each -> each.getLock(name)).toArray(RLock[]::new);
    return new JucMutex(clients.get(0).getMultiLock(locks));
  }

  @Override
  public void close() {
    clients.forEach(RedissonClient::shutdown);
  }
}
