package dev.sluice.fencing;

import dev.sluice.guard.FencingToken;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Two processes add to one balance under one lock, and the first is stopped between its look at the
 * lease and its write.
 */
public final class Scene {
  /** What is there at first, and what each adds. */
  public static final long BEFORE = 100;

  /** Added by the one that is stopped. */
  public static final long BY_A = 5;

  /** Added by the one that takes over. */
  public static final long BY_B = 10;

  private static final Pattern REFUSED = Pattern.compile("refused (\\S+) (\\S+)");

  private final Path redisServer;
  private final Duration ttl;
  private final Consumer<String> out;
  private long start;

  /**
   * A scene to be played.
   *
   * @param redisServer the program
   * @param ttl length of a lease
   * @param out gets a line for each step
   */
  public Scene(Path redisServer, Duration ttl, Consumer<String> out) {
    this.redisServer = redisServer;
    this.ttl = ttl;
    this.out = out;
  }

  /**
   * The result of the scene.
   *
   * @param tokenOfA of the holder that was stopped
   * @param tokenOfB of the one that took over
   * @param refusedAfter the highest token that the resource had seen when it refused A; null if it
   *     did not
   * @param balance in the end
   */
  public record Outcome(
      FencingToken tokenOfA,
      FencingToken tokenOfB,
      @Nullable FencingToken refusedAfter,
      long balance) {}

  /**
   * Plays it.
   *
   * @param guarded whether reads and writes go through a guard
   * @return what came of it
   * @throws IOException if a process cannot be started
   * @throws InterruptedException if the thread is interrupted; all processes are ended
   */
  public Outcome play(boolean guarded) throws IOException, InterruptedException {
    try (Family family = new Family();
        RedisProcess redis = RedisProcess.start(family, redisServer)) {
      redis.set(Holder.BALANCE, BEFORE);
      HolderProcess a = HolderProcess.start(family, redis.uri, guarded, ttl);
      HolderProcess b = HolderProcess.start(family, redis.uri, guarded, ttl);
      a.awaitReady();
      b.awaitReady();
      start = System.nanoTime();
      return play(redis, a, b);
    }
  }

  private Outcome play(RedisProcess redis, HolderProcess a, HolderProcess b)
      throws InterruptedException {
    HolderProcess.Entered first = a.enter();
    step("A", "holds the lock, token " + first.token().value());
    step("A", "reads " + first.balance() + ", and its lease is good for " + brief(first.left()));
    a.pause();
    step("A", "is stopped (SIGSTOP) before it writes");
    HolderProcess.Entered second = b.enter();
    step("B", "holds the lock, token " + second.token().value() + ": the lease of A is over");
    step("B", "reads " + second.balance());
    step("B", said(b.write(second.balance() + BY_B)) + ", and frees the lock");
    a.resume();
    step("A", "resumes (SIGCONT)");
    String answer = a.write(first.balance() + BY_A);
    step("A", said(answer));
    a.end();
    b.end();
    Matcher refused = REFUSED.matcher(answer);
    return new Outcome(
        first.token(),
        second.token(),
        refused.matches() ? FencingToken.parse(refused.group(2)) : null,
        redis.get(Holder.BALANCE));
  }

  private static String said(String answer) {
    Matcher refused = REFUSED.matcher(answer);
    return refused.matches()
        ? "is refused: its token is %d, and the resource has seen %d"
            .formatted(
                FencingToken.parse(refused.group(1)).value(),
                FencingToken.parse(refused.group(2)).value())
        : answer.replace("wrote", "writes");
  }

  private static String brief(Duration time) {
    return String.format(Locale.ROOT, "%.2fs", time.toMillis() / 1000.0);
  }

  private void step(String who, String what) {
    double seconds = (System.nanoTime() - start) / 1e9;
    out.accept(String.format(Locale.ROOT, "  %5.2fs  %s  %s", seconds, who, what));
  }
}
