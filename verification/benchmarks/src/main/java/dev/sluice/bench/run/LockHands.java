package dev.sluice.bench.run;

import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LockSystem;
import dev.sluice.bench.systems.Mutex;
import dev.sluice.bench.systems.SluiceSystem;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Does with locks what it is told. */
final class LockHands implements Hands {
  private final LockSystem system;
  private @Nullable Crew crew;
  private @Nullable Mutex taken;
  private @Nullable HeldLeases many;

  LockHands(LockSystem system) {
    this.system = system;
  }

  @Override
  public Reply follow(Order order) throws Exception {
    if (order instanceof Order.Start start) {
      crew = new Crew(system, start, SharedPage.map(Path.of(start.page())));
      crew.start();
    } else if (order instanceof Order.Measure) {
      Hands.present(crew, order).measure();
    } else if (order instanceof Order.Pause) {
      Hands.present(crew, order).pause();
    } else if (order instanceof Order.Stop) {
      Crew done = Hands.present(crew, order);
      crew = null;
      return done.stop();
    } else if (order instanceof Order.Cycles cycles) {
      Mutex mutex = system.mutex(cycles.lock(), Habit.PLAIN);
      for (int i = 0; i < cycles.count(); i++) {
        mutex.acquire();
        mutex.release();
      }
    } else if (order instanceof Order.Take take) {
      taken = system.mutex(take.lock(), Habit.PLAIN);
      taken.acquire();
    } else if (order instanceof Order.Give) {
      Hands.present(taken, order).release();
    } else if (order instanceof Order.TakeMany take) {
      if (!(system instanceof SluiceSystem sluice)) {
        return new Reply.Failed("only Sluice is asked to hold many leases");
      }
      many = HeldLeases.take(sluice, take);
      return many.report();
    } else if (order instanceof Order.CheckMany) {
      return Hands.present(many, order).report();
    } else if (order instanceof Order.GiveMany) {
      Hands.present(many, order).give();
      many = null;
    }
    return new Reply.Done();
  }
}
