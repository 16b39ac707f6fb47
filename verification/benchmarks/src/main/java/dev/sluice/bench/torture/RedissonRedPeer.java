package dev.sluice.bench.torture;

import dev.sluice.verification.torture.LockClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Redisson's RedissonRedLock, which it calls deprecated, over independent masters. */
public final class RedissonRedPeer implements LockClient {
  private final List<RedissonClient> masters = new ArrayList<>();

  /** For {@link java.util.ServiceLoader}. */
  public RedissonRedPeer() {}

  @Override
  public String word() {
    return "redisson-red";
  }

  @Override
  public void open(String uri, Duration ttl) {
    close();
    for (String master : uri.substring(uri.indexOf("//") + 2).split(",")) {
      masters.add(RedissonPeer.connect("redis://" + master, ttl));
    }
  }

  @Override
  @SuppressWarnings("deprecation") // it is what is looked at
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    RLock[] locks = masters.stream().map(master -> master.getLock(name)).toArray(RLock[]::new);
    RedissonRedLock lock = new RedissonRedLock(locks);
    boolean taken = lock.tryLock(wait.toMillis(), -1, TimeUnit.MILLISECONDS);
    return taken ? new JucHold(lock, 0) : null;
  }

  @Override
  public void close() {
    masters.forEach(RedissonClient::shutdown);
    masters.clear();
  }
}
