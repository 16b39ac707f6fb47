package dev.sluice.bench.systems;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RFuture;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RRateLimiter with default settings: a log of permits, and no burst of its own. */
final class RedissonLimits implements LimitSystem {
  private final RedissonClient redisson;

  RedissonLimits(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  @Override
  public Gate gate(String name, List<String> keys, Allowance allowance, Habit habit)
      throws Exception {
    LimitSystem.require(habit == Habit.PLAIN, allowance, habit);
    Map<String, RRateLimiter> limiters = new HashMap<>();
    List<RFuture<Boolean>> made = new ArrayList<>();
    for (String key : keys) {
      RRateLimiter limiter = redisson.getRateLimiter(name + "/" + key);
      made.add(limiter.trySetRateAsync(RateType.OVERALL, allowance.count(), allowance.period()));
      limiters.put(key, limiter);
    }
    for (RFuture<Boolean> each : made) {
      each.toCompletableFuture().get(); // false where another process was first
    }
    return new Gate() {
      @Override
      public boolean pass(String key) {
        return limiters.get(key).tryAcquire();
      }

      @Override
      public CompletionStage<Boolean> passLater(String key) {
        return limiters.get(key).tryAcquireAsync();
      }
    };
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
