package dev.sluice.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.LimitBackend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BusyKeysTest {
  private final ManualTime time = new ManualTime();

  @Test
  void coordinatorThatHasRetiredIsReplacedByTheNextCaller() {
    AtomicBoolean isSilent = new AtomicBoolean(true);
    LimitBackend limits = new MemoryBackend(time::storeMicros).limits();
    LimitBackend backend =
        (LimitBackend)
            Proxy.newProxyInstance(
                LimitBackend.class.getClassLoader(),
                new Class<?>[] {LimitBackend.class},
                (proxy, method, arguments) ->
                    method.getName().equals("decide") && isSilent.get()
                        ? new CompletableFuture<>()
                        : method.invoke(limits, arguments));
    LimitStore store = new LimitStore(backend, "a", time, time, Runnable::run);
    RateLimiterOptions leasing =
        RateLimiterOptions.of(Limit.parse("token-bucket 1000/s")).leasing();
    LimitPolicy policy = new LimitPolicy("rate limiter 'x'", leasing, time, null);
    BusyKeys keys = new BusyKeys(new LimitCalls(store, "x", policy));
    LimitPolicy.Tiers tiers = policy.of("key");
    CompletableFuture<Decision> underWay = keys.take("key", tiers, 1);
    keys.close(); // its coordinator has retired, and is not removed
    assertThat(underWay).isCompletedExceptionally();
    isSilent.set(false);
    Executor ownThread =
        task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true); // it would spin for ever
          thread.start();
        };
    assertThat(CompletableFuture.supplyAsync(() -> keys.take("key", tiers, 1).join(), ownThread))
        .succeedsWithin(Duration.ofMinutes(1))
        .matches(Decision::allowed);
  }
}
