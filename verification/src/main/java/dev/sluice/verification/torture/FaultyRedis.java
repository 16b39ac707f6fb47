package dev.sluice.verification.torture;

import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One Redis that writes everything to its disk before it answers, a line to it, and faults that
 * strike both while it is on. None of them loses data or moves a clock, so no promise is excused.
 * For runs that bring their own load. Not safe for use by several threads, except {@link #struck}
 * and {@link #failure}.
 */
public final class FaultyRedis implements AutoCloseable {
  private static final Duration MAX_FAULT = Duration.ofSeconds(1);

  private final RedisServer server;
  private final TcpProxy line;
  private final FaultScheduler scheduler;
  private volatile @Nullable Throwable failure;
  private @Nullable Thread blowing;

  private FaultyRedis(RedisServer server, long seed, int longestGapMillis) {
    this.server = server;
    this.line = new TcpProxy(server.port());
    this.scheduler =
        new FaultScheduler(
            "servers", faults(), new SplittableRandom(seed), longestGapMillis, event -> {});
  }

  /**
   * Starts the server; nothing goes wrong yet.
   *
   * @param seed chooses the faults
   * @param longestGap most time from one fault to the next, at least 100 ms
   * @return a server that answers
   */
  public static FaultyRedis start(long seed, Duration longestGap) {
    RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
    try {
      return new FaultyRedis(server, seed, Math.toIntExact(longestGap.toMillis()));
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(ServerFaults.ofLine(line, MAX_FAULT));
    faults.add(ServerFaults.paused(server::pause, server::resume, MAX_FAULT));
    faults.add(ServerFaults.killed(server::kill, server::restart));
    faults.add(command(3, "CLIENT", "KILL", "TYPE", "normal"));
    faults.add(command(3, "CLIENT", "KILL", "TYPE", "pubsub"));
    faults.add(command(1, "SCRIPT", "FLUSH"));
    return faults;
  }

  private Fault command(int weight, String... words) {
    String name = String.join(" ", words);
    return new Fault(
        name,
        weight,
        (random, notes) -> {
          server.call(words);
          return name;
        });
  }

  /** {@return where clients connect to, through the line} */
  public String uri() {
    return "redis://127.0.0.1:" + line.port();
  }

  /** {@return the server, for those who look at it past the line} */
  public RedisServer server() {
    return server;
  }

  /** Faults strike from now on, one after the other. */
  public void begin() {
    Thread thread = scheduler.begin();
    thread.setUncaughtExceptionHandler((dead, cause) -> failure = cause);
    blowing = thread;
  }

  /**
   * Ends the fault that is under way, and lets none follow.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public void calm() throws InterruptedException {
    scheduler.calm();
    Thread thread = blowing;
    blowing = null;
    if (thread != null) {
      thread.join();
    }
    ServerFaults.heal(line);
  }

  /** {@return how often each fault struck} */
  public Map<String, Long> struck() {
    return scheduler.struck();
  }

  /** {@return why no more faults strike, if one could not be carried out} */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Ends the server. Idempotent. */
  @Override
  public void close() {
    scheduler.calm();
    line.close();
    server.close();
  }
}
