package dev.sluice.bench.run;

import dev.sluice.bench.systems.Candidate;
import dev.sluice.bench.systems.Library;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A process that uses one library and does the jobs that come over its standard input. It ends when
 * that input ends, so it never outlives the process that started it.
 */
public final class Worker {
  /** The line before the first reply: the JVM itself may print before it. */
  static final String READY = "sluice-bench-worker";

  private final Library library;
  private final Map<String, Object> kept = new HashMap<>();

  private Worker(Library library) {
    this.library = library;
  }

  /** The reply to a job: a result, or the text of its failure. */
  record Reply(@Nullable Object result, @Nullable String failure) implements Serializable {}

  /** {@return the library under test} */
  public Library library() {
    return library;
  }

  /** {@return what an earlier job has made under this name, or what is made now} */
  @SuppressWarnings("unchecked")
  public <T> T keep(String name, Callable<T> make) throws Exception {
    Object known = kept.get(name);
    if (known == null) {
      known = make.call();
      kept.put(name, known);
    }
    return (T) known;
  }

  /**
   * {@return what an earlier job has made under this name, which is then forgotten}
   *
   * @throws IllegalStateException if there is none
   */
  @SuppressWarnings("unchecked")
  public <T> T forget(String name) {
    Object known = kept.remove(name);
    if (known == null) {
      throw new IllegalStateException("no job has made '" + name + "'");
    }
    return (T) known;
  }

  void prepare(Loop loop) {
    kept.put("loop", loop);
  }

  /** {@return the callers that were prepared} */
  Loop loop() throws Exception {
    return keep(
        "loop",
        () -> {
          throw new IllegalStateException("no callers were prepared");
        });
  }

  /**
   * Runs until the input ends.
   *
   * @param args URI of the server, TTL in milliseconds; the candidate comes before the jobs
   */
  public static void main(String[] args) throws Exception {
    PrintStream stdout = System.out;
    System.setOut(System.err); // libraries may print; the replies have stdout to themselves
    stdout.println("\n" + READY);
    stdout.flush();
    ObjectOutputStream replies = new ObjectOutputStream(stdout);
    replies.flush();
    ObjectInputStream jobs = new ObjectInputStream(new BufferedInputStream(System.in));
    try {
      Duration ttl = Duration.ofMillis(Long.parseLong(args[1]));
      Candidate candidate = (Candidate) jobs.readObject();
      Worker worker = new Worker(candidate.open().open(args[0], ttl));
      send(replies, new Reply(true, null)); // connected
      while (true) {
        send(replies, worker.answer((Job<?>) jobs.readObject()));
      }
    } catch (EOFException e) {
      System.exit(0); // dismissed, or the parent has ended
    } catch (Exception e) {
      send(replies, new Reply(null, String.valueOf(e)));
      Runtime.getRuntime().halt(1);
    }
  }

  private static void send(ObjectOutputStream replies, Reply reply) throws IOException {
    replies.writeObject(reply);
    replies.reset();
    replies.flush();
  }

  private Reply answer(Job<?> job) {
    try {
      return new Reply(job.run(this), null);
    } catch (Exception e) {
      e.printStackTrace();
      return new Reply(null, String.valueOf(e));
    }
  }
}
