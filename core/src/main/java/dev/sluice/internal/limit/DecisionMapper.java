package dev.sluice.internal.limit;

import dev.sluice.limit.Decision;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.QueueReply;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Converts a store's replies to decisions. */
public final class DecisionMapper {
  private DecisionMapper() {}

  static Decision of(LimitPolicy.Tiers tiers, LimitReply reply, Decision.Source source) {
    return reply.granted() > 0
        ? passed(reply, reply.remaining(), source)
        : refused(tiers, reply, reply.retry() * 1000, source);
  }

  static Decision passed(LimitReply reply, long remaining, Decision.Source source) {
    return new Decision(
        true,
        reply.limit(),
        Math.min(remaining, reply.limit()),
        Duration.ZERO,
        micros(reply.reset()),
        Optional.empty(),
        source);
  }

  static Decision refused(
      LimitPolicy.Tiers tiers, LimitReply reply, long retryNanos, Decision.Source source) {
    return new Decision(
        false,
        reply.limit(),
        reply.remaining(),
        Duration.ofNanos(retryNanos),
        micros(reply.reset()),
        Optional.of(tiers.rules.get(reply.tier()).tier()),
        source);
  }

  static Decision queued(LimitPolicy.Tiers tiers, QueueReply reply, Decision.Source source) {
    return new Decision(
        reply.admitted(),
        tiers.places,
        Math.max(0, tiers.places - reply.waiting()),
        reply.admitted() ? Duration.ZERO : micros(reply.delay()),
        micros(reply.drain()),
        reply.admitted() ? Optional.empty() : Optional.of(tiers.queueName),
        source);
  }

  static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
