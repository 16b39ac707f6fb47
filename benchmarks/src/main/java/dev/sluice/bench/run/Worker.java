package dev.sluice.bench.run;

import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LockSystem;
import dev.sluice.bench.systems.Mutex;
import dev.sluice.bench.systems.SluiceSystem;
import dev.sluice.bench.systems.SystemKind;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A process that uses one library and does what it is told over its standard input. It ends when
 * that input ends, so it never outlives the process that started it.
 */
public final class Worker {
  /** The line before the first reply: the JVM itself may print before it. */
  static final String READY = "sluice-bench-worker";

  private final LockSystem system;
  private @Nullable Crew crew;
  private @Nullable Mutex taken;
  private @Nullable HeldLeases many;

  private Worker(LockSystem system) {
    this.system = system;
  }

  /**
   * Runs until the input ends.
   *
   * @param args name of a {@link SystemKind}, URI of the server, TTL in milliseconds
   */
  public static void main(String[] args) throws Exception {
    PrintStream stdout = System.out;
    System.setOut(System.err); // libraries may print; the replies have stdout to themselves
    stdout.println("\n" + READY);
    stdout.flush();
    ObjectOutputStream replies = new ObjectOutputStream(stdout);
    replies.flush();
    ObjectInputStream orders = new ObjectInputStream(new BufferedInputStream(System.in));
    try {
      LockSystem system =
          SystemKind.valueOf(args[0]).open(args[1], Duration.ofMillis(Long.parseLong(args[2])));
      Worker worker = new Worker(system);
      send(replies, new Reply.Done());
      while (true) {
        Order order = (Order) orders.readObject();
        send(replies, worker.answer(order));
      }
    } catch (EOFException e) {
      System.exit(0); // dismissed, or nobody is left to report to
    } catch (Exception e) {
      send(replies, new Reply.Failed(String.valueOf(e)));
      Runtime.getRuntime().halt(1);
    }
  }

  private static void send(ObjectOutputStream replies, Reply reply) throws IOException {
    replies.writeObject(reply);
    replies.reset();
    replies.flush();
  }

  private Reply answer(Order order) {
    try {
      return follow(order);
    } catch (Exception e) {
      e.printStackTrace();
      return new Reply.Failed(order + ": " + e);
    }
  }

  private Reply follow(Order order) throws Exception {
    if (order instanceof Order.Start start) {
      crew = new Crew(system, start, SharedPage.map(Path.of(start.page())));
      crew.start();
    } else if (order instanceof Order.Measure) {
      present(crew, order).measure();
    } else if (order instanceof Order.Pause) {
      present(crew, order).pause();
    } else if (order instanceof Order.Stop) {
      Crew done = present(crew, order);
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
      present(taken, order).release();
    } else if (order instanceof Order.TakeMany take) {
      if (!(system instanceof SluiceSystem sluice)) {
        return new Reply.Failed("only Sluice is asked to hold many leases");
      }
      many = HeldLeases.take(sluice, take);
      return many.report();
    } else if (order instanceof Order.CheckMany) {
      return present(many, order).report();
    } else if (order instanceof Order.GiveMany) {
      present(many, order).give();
      many = null;
    }
    return new Reply.Done();
  }

  private static <T> T present(@Nullable T thing, Order order) {
    if (thing == null) {
      throw new IllegalStateException("nothing to do this with: " + order);
    }
    return thing;
  }
}
