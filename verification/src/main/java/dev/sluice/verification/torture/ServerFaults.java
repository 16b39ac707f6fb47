package dev.sluice.verification.torture;

import dev.sluice.servers.TcpProxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Faults of any server and the connection to it, for every protocol. */
final class ServerFaults {
  private ServerFaults() {}

  /** An action of a server. */
  @FunctionalInterface
  interface Act {
    /** Does it, and returns when it is done. */
    void run() throws InterruptedException;
  }

  /** Faults of a line. None ends an entry early. */
  static List<Fault> ofLine(TcpProxy line, Duration longest) {
    long millis = longest.toMillis();
    return List.of(
        new Fault("cut", 3, (random, notes) -> cut(line)),
        new Fault("slow line", 4, (random, notes) -> slow(line, random, millis)),
        new Fault("requests held", 3, (random, notes) -> holdRequests(line, random, millis)),
        new Fault("replies held", 3, (random, notes) -> holdReplies(line, random, millis)));
  }

  /** A server that stands still for a while. */
  static Fault paused(Act pause, Act resume, Duration longest) {
    long most = longest.toMillis();
    return new Fault(
        "server paused",
        3,
        (random, notes) -> {
          long millis = random.nextLong(20, Math.max(21, most));
          pause.run();
          try {
            pass(millis);
          } finally {
            resume.run();
          }
          return "stopped for " + millis + " ms";
        });
  }

  /** A server that dies and comes back with what it had stored. */
  static Fault killed(Act kill, Act restart) {
    return new Fault(
        "server killed",
        2,
        (random, notes) -> {
          kill.run();
          pass(random.nextLong(1000));
          restart.run();
          return "killed, restarted with its data";
        });
  }

  /** Makes a clock eight parts in a thousand too fast, for some seconds. */
  static void runFast(RandomGenerator random, Consumer<Duration> step) throws InterruptedException {
    long from = System.nanoTime();
    long until = from + random.nextLong(3_000, 7_000) * 1_000_000;
    long given = 0;
    for (long now = from; now < until; now = System.nanoTime()) {
      long due = (now - from) / 125;
      step.accept(Duration.ofNanos(due - given).truncatedTo(ChronoUnit.MICROS));
      given += (due - given) / 1000 * 1000;
      pass(2);
    }
  }

  /** Opens a line. */
  static void heal(TcpProxy line) {
    line.refuse(false);
    line.slow(Duration.ZERO);
    line.holdReplies(false);
    line.holdRequests(false);
  }

  static void pass(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  private static String cut(TcpProxy line) {
    line.cut();
    return "cut";
  }

  private static String slow(TcpProxy line, RandomGenerator random, long longest)
      throws InterruptedException {
    int most = random.nextInt(2, 200);
    line.slow(Duration.ofMillis(most));
    pass(random.nextLong(300, Math.max(301, longest)));
    line.slow(Duration.ZERO);
    return "slow by up to " + most + " ms";
  }

  /** What was held comes late: mostly after its callers have given up, on a dead connection. */
  private static String holdRequests(TcpProxy line, RandomGenerator random, long longest)
      throws InterruptedException {
    line.holdRequests(true);
    pass(random.nextLong(50, Math.max(51, longest)));
    boolean cut = random.nextBoolean();
    if (cut) {
      line.cut();
      pass(random.nextLong(20, 400)); // what comes next overtakes what is still held
    }
    line.holdRequests(false);
    return cut ? "requests late, connections cut" : "requests late";
  }

  private static String holdReplies(TcpProxy line, RandomGenerator random, long longest)
      throws InterruptedException {
    line.holdReplies(true);
    pass(random.nextLong(50, Math.max(51, longest)));
    boolean cut = random.nextBoolean();
    if (cut) {
      line.cut();
    }
    line.holdReplies(false);
    return cut ? "replies lost" : "replies late";
  }
}
