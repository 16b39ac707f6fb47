package dev.sluice.bench.systems;

import java.net.URI;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's registry. Pub-sub mode: the default polls every 100 ms. */
final class SpringSystem implements LockSystem {
  private final LettuceConnectionFactory connections;
  private final RedisLockRegistry registry;

  SpringSystem(String uri) {
    URI server = URI.create(uri);
    this.connections = new LettuceConnectionFactory(server.getHost(), server.getPort());
    connections.afterPropertiesSet();
    connections.start();
    this.registry = new RedisLockRegistry(connections, "spring");
    registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    return new JucMutex(registry.obtain(name));
  }

  @Override
  public void close() {
    registry.destroy();
    connections.destroy();
  }
}
