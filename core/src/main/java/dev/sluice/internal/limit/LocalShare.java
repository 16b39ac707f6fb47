package dev.sluice.internal.limit;

import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.Ticker;
import java.util.List;

/** Decides by itself, with one process's share of the limit, while the store is away. */
final class LocalShare {
  private static final long MAX_LEVEL = 1L << 52;

  // microseconds of some moment after 2001, which the arithmetic asks of a clock
  private static final long EPOCH = 1_767_225_600_000_000L;

  private final int processes;
  private final LimitBackend limits;

  LocalShare(int processes, Ticker ticker) {
    this.processes = processes;
    long start = ticker.nanos();
    this.limits = new MemoryBackend(() -> EPOCH + (ticker.nanos() - start) / 1000).limits();
  }

  LimitReply decide(LimitRequest request) {
    List<LimitRule> shares = request.rules().stream().map(this::share).toList();
    LimitRequest mine =
        new LimitRequest(
            request.verb(),
            request.limiter(),
            request.key(),
            shares,
            request.cost(),
            request.times(),
            request.maxWaitMicros(),
            request.takenAtMicros());
    return limits.decide(mine).toCompletableFuture().join();
  }

  QueueReply enter(QueueRequest request) {
    QueueRequest mine =
        new QueueRequest(
            request.limiter(),
            request.key(),
            request.client(),
            request.ticket(),
            request.cost(),
            request.intervalMicros() * processes,
            Math.max(1, request.places() / processes),
            request.maxWaitMicros());
    return limits.enter(mine).toCompletableFuture().join();
  }

  private LimitRule share(LimitRule whole) {
    long capacity = Math.max(1, whole.capacity() / processes);
    long scale = whole.scale();
    long step = whole.step();
    if (whole.kind() == LimitRule.Kind.BUCKET) {
      step = Math.max(1, Math.min(step, MAX_LEVEL / capacity / processes)) * processes;
    } else if (whole.capacity() < processes) { // one permit, but in a longer window
      scale *= (processes + whole.capacity() - 1) / whole.capacity();
    }
    return new LimitRule(
        whole.kind(),
        capacity,
        scale,
        step,
        whole.version(),
        whole.carryOver(),
        whole.tier(),
        whole.shared());
  }
}
