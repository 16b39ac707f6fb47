package dev.sluice.testkit;

import dev.sluice.limit.Settlement;
import dev.sluice.memory.FaultyMemory;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import dev.sluice.state.LimitState;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Stores that decide wrongly about limits, each as a textbook scheme does. */
final class FaultyLimits {
  private static final long SOON_MICROS = 100_000;

  private FaultyLimits() {}

  /** What was decided is not written back. */
  static LimitReply writeBackForgotten(long now, LimitRequest request, LimitState.Cell[] cells) {
    LimitState.Cell[] copies = new LimitState.Cell[cells.length];
    for (int i = 0; i < cells.length; i++) {
      copies[i] = new LimitState.Cell();
      copies[i].bytes = cells[i].bytes;
      copies[i].expiresAt = cells[i].expiresAt;
    }
    return LimitState.decide(now, request, copies);
  }

  /** A refused call counts as well. */
  static LimitReply refusalRecorded(long now, LimitRequest request, LimitState.Cell[] cells) {
    LimitReply reply = LimitState.decide(now, request, cells);
    if (request.verb() == LimitRequest.Verb.TAKE && reply.granted() < request.times()) {
      List<LimitRule> wider = request.rules().stream().map(FaultyLimits::wider).toList();
      LimitState.decide(now, with(request, wider), cells);
    }
    return reply;
  }

  private static LimitRule wider(LimitRule rule) {
    return new LimitRule(
        rule.kind(),
        rule.capacity() + 1_000_000,
        rule.scale(),
        rule.step(),
        rule.version(),
        rule.carryOver(),
        rule.tier(),
        rule.shared(),
        rule.perCall());
  }

  /** The count expires before it has drained. */
  static LimitReply timeToLiveTooShort(long now, LimitRequest request, LimitState.Cell[] cells) {
    LimitReply reply = LimitState.decide(now, request, cells);
    for (LimitState.Cell cell : cells) {
      cell.expiresAt = Math.min(cell.expiresAt, now + SOON_MICROS);
    }
    return reply;
  }

  /** Every other caller brings the time of a clock that is ahead. */
  static FaultyMemory.Limits clientClock(long aheadMicros) {
    AtomicLong calls = new AtomicLong();
    return (now, request, cells) ->
        LimitState.decide(now + calls.getAndIncrement() % 2 * aheadMicros, request, cells);
  }

  /** Tiers are asked one after the other. */
  static LimitReply tierSpentOnRefusal(long now, LimitRequest request, LimitState.Cell[] cells) {
    LimitReply worst = null;
    for (int i = 0; i < cells.length; i++) {
      LimitReply reply =
          LimitState.decide(
              now,
              with(request, List.of(request.rules().get(i))),
              new LimitState.Cell[] {cells[i]});
      if (worst == null || reply.granted() <= worst.granted()) {
        worst =
            new LimitReply(
                reply.granted(),
                reply.delay(),
                i,
                reply.limit(),
                reply.remaining(),
                reply.retry(),
                reply.reset(),
                reply.clockSteps(),
                reply.newerPolicy(),
                reply.at());
      }
      if (reply.granted() == 0) {
        break;
      }
    }
    if (worst == null) {
      throw new IllegalArgumentException("no tiers");
    }
    return worst;
  }

  /** What is given back is added, however little was spent. */
  static FaultyMemory.Limits refundAboveCapacity() {
    AtomicLong surplus = new AtomicLong();
    return (now, request, cells) -> {
      LimitReply reply = LimitState.decide(now, request, cells);
      if (request.verb() == LimitRequest.Verb.GIVE_BACK) {
        surplus.addAndGet(request.cost());
      } else if (reply.granted() == 0 && surplus.addAndGet(-request.cost()) >= 0) {
        return new LimitReply(
            1, 0, reply.tier(), reply.limit(), reply.remaining(), 0, reply.reset(), 0, false, 0);
      }
      return reply;
    };
  }

  /** Nobody asks which count gave the permits that come back, nor under what policy. */
  static LimitReply credulous(long now, LimitRequest request, LimitState.Cell[] cells) {
    return LimitState.decide(now, with(request, request.rules(), 0), cells);
  }

  /** The right decisions, and other settlements. */
  private abstract static class Settling implements FaultyMemory.Limits {
    @Override
    public LimitReply decide(long now, LimitRequest request, LimitState.Cell[] cells) {
      return LimitState.decide(now, request, cells);
    }

    @Override
    public abstract Settlement settle(
        long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark);
  }

  /** An id is not remembered. */
  static FaultyMemory.Limits idForgotten() {
    return new Settling() {
      @Override
      public Settlement settle(
          long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
        return LimitState.settle(now, request, cells, new LimitState.Cell());
      }
    };
  }

  /** What was estimated too low is taken as far as permits are left: nobody is in debt. */
  static FaultyMemory.Limits debtForgiven() {
    return new Settling() {
      @Override
      public Settlement settle(
          long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
        LimitRequest look =
            new LimitRequest(LimitRequest.Verb.PEEK, "l", "k", request.rules(), 0, 1, 0, 0);
        long left = LimitState.decide(now, look, cells).remaining();
        long most = Math.min(request.actual(), request.estimate() + left);
        return LimitState.settle(now, settled(request, most, request.unused(), 0), cells, mark);
      }
    };
  }

  /** A settlement counts however late it is. */
  static FaultyMemory.Limits neverLate() {
    return new Settling() {
      @Override
      public Settlement settle(
          long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
        return LimitState.settle(
            now, settled(request, request.actual(), request.unused(), now), cells, mark);
      }
    };
  }

  /** What comes back is taken by whichever count is there. */
  static FaultyMemory.Limits credulousSettlement() {
    return new Settling() {
      @Override
      public Settlement settle(
          long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
        long back = request.estimate() - request.actual();
        if (back <= 0 || request.unused()) {
          return LimitState.settle(now, request, cells, mark);
        }
        LimitRequest refund =
            new LimitRequest(LimitRequest.Verb.GIVE_BACK, "l", "k", request.rules(), back, 1, 0, 0);
        LimitState.decide(now, refund, cells);
        return LimitState.settle(now, settled(request, request.estimate(), false, 0), cells, mark);
      }
    };
  }

  /** A use that has cost nothing is taken for one that did not happen. */
  static FaultyMemory.Limits callForgotten() {
    return new Settling() {
      @Override
      public Settlement settle(
          long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
        boolean unused = request.unused() || request.actual() == 0;
        return LimitState.settle(now, settled(request, request.actual(), unused, 0), cells, mark);
      }
    };
  }

  /** The same request but for what is given; a time of 0 stands for the true one. */
  private static SettleRequest settled(
      SettleRequest request, long actual, boolean unused, long begunAt) {
    return new SettleRequest(
        request.limiter(),
        request.key(),
        request.rules(),
        request.id(),
        request.estimate(),
        actual,
        unused,
        begunAt == 0 ? request.begunAtMicros() : begunAt,
        request.withinMicros());
  }

  private static LimitRequest with(LimitRequest request, List<LimitRule> rules) {
    return with(request, rules, request.takenAtMicros());
  }

  private static LimitRequest with(
      LimitRequest request, List<LimitRule> rules, long takenAtMicros) {
    return new LimitRequest(
        request.verb(),
        request.limiter(),
        request.key(),
        rules,
        request.cost(),
        request.times(),
        request.maxWaitMicros(),
        takenAtMicros);
  }
}
