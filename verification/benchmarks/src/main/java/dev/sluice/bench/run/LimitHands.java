package dev.sluice.bench.run;

import dev.sluice.bench.systems.Gate;
import dev.sluice.bench.systems.LimitSystem;
import dev.sluice.replay.LogFormat;
import dev.sluice.replay.Replay;
import dev.sluice.replay.ReplayPolicy;
import dev.sluice.replay.SyntheticLog;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Does with limiters what it is told. */
final class LimitHands extends CallerHands {
  private static final long REPLAY_BYTES = 128L << 20;
  private static final int LINES_PER_SECOND = 1_000;

  private final LimitSystem system;

  LimitHands(LimitSystem system) {
    this.system = system;
  }

  @Override
  Reply prepare(Order order) throws Exception {
    if (order instanceof Order.Admit admit) {
      List<String> keys = keys(0, admit.keys());
      Gate gate = system.gate(admit.limiter(), keys, admit.allowance(), admit.habit());
      callers = new Callers(gate, keys, admit.calls());
    } else if (order instanceof Order.Spend spend) {
      List<String> keys = keys(0, spend.keys());
      Gate gate = system.gate(spend.limiter(), keys, spend.allowance(), spend.habit());
      for (String key : keys) {
        if (!gate.pass(key)) {
          return new Reply.Failed("the first call for " + key + " was refused");
        }
      }
    }
    if (order instanceof Order.Replay replay) {
      return replay(replay);
    }
    return new Reply.Done();
  }

  private static Reply replay(Order.Replay order) throws IOException {
    Replay replay =
        new Replay(
            order.policies().stream().map(ReplayPolicy::parse).toList(),
            LogFormat.common("ip"),
            Optional.empty(),
            REPLAY_BYTES);
    long cpu = Crew.cpuNanos();
    long began = System.nanoTime();
    replay.read(new SyntheticLog(order.lines(), LINES_PER_SECOND, order.addresses(), 1));
    long nanos = System.nanoTime() - began;
    if (replay.lines() != order.lines()) {
      return new Reply.Failed(replay.lines() + " lines of " + order.lines() + " were read");
    }
    return new Reply.Took(nanos, Crew.cpuNanos() - cpu);
  }
}
