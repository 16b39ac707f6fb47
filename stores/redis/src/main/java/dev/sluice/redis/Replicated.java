package dev.sluice.redis;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.spi.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Scripts whose effect must reach replicas before they count. Safe for use by many threads. */
final class Replicated implements AutoCloseable {
  /*
   * WAIT holds up its connection until the replicas have confirmed what was written on it, and with
   * it everything that was sent behind. So these scripts have a connection of their own to each
   * server, and go in groups: what comes while a WAIT is under way is sent together when it is over,
   * with one WAIT for all. A script and its WAIT go over one connection to one server, one after the
   * other; a script that was sent elsewhere, or again, proves nothing and goes into the next group.
   */
  private static final NativeCall.Command WAIT = NativeCall.Command.of("WAIT");
  private static final NativeCall.Command ROLE = NativeCall.Command.of("ROLE");
  private static final CallKeys NO_KEYS = new CallKeys("the replicas", List.of());
  private static final int WORDS_OF_A_REPLICA = 3;

  /** WAIT knows its time by itself; the timer is for a server that does not. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** One script under way. */
  private static final class Write<T> {
    final Script script;
    final CallKeys keys;
    final byte[] client;
    final long[] numbers;
    final Function<Reply, T> decoder;
    final long until;
    final CompletableFuture<T> done = new CompletableFuture<>();
    volatile @Nullable ScriptCall<T> call;

    Write(
        Script script,
        CallKeys keys,
        byte[] client,
        long[] numbers,
        Function<Reply, T> decoder,
        long until) {
      this.script = script;
      this.keys = keys;
      this.client = client;
      this.numbers = numbers;
      this.decoder = decoder;
      this.until = until;
    }
  }

  /** What goes to one server; guarded by itself. */
  private static final class Group {
    final List<Write<?>> coming = new ArrayList<>();
    boolean underWay;
  }

  /** How many replicas were wanted, and how many confirmed. */
  private record Count(int wanted, int confirmed) {}

  private final String describe;
  private final ScriptRunner scripts;
  private final ReplicaPolicy policy;
  private final long timeoutNanos;
  private final Map<Line, Group> groups = new ConcurrentHashMap<>();

  /**
   * @param scripts over connections that nothing else uses
   * @param requestTimeout of the backend
   */
  Replicated(String describe, ScriptRunner scripts, ReplicaPolicy policy, Duration requestTimeout) {
    this.describe = describe;
    this.scripts = scripts;
    this.policy = policy;
    this.timeoutNanos = Math.min(policy.timeout().toNanos(), requestTimeout.toNanos() / 2);
  }

  /**
   * Runs a script that writes, and may be repeated.
   *
   * @return the answer, once replicas have it; {@link NotReplicatedException} if too few confirmed
   */
  <T> CompletableFuture<T> run(
      Script script, CallKeys keys, String client, long[] numbers, Function<Reply, T> decoder) {
    Write<T> write =
        new Write<>(
            script, keys, Wire.bytes(client), numbers, decoder, System.nanoTime() + timeoutNanos);
    CompletableFuture.delayedExecutor(
            timeoutNanos + Math.min(timeoutNanos, GRACE_NANOS), TimeUnit.NANOSECONDS, Runnable::run)
        .execute(() -> giveUp(write));
    enqueue(write);
    return write.done;
  }

  private void giveUp(Write<?> write) {
    if (!write.done.isDone()) {
      ScriptCall<?> call = write.call;
      boolean answered = call != null && call.isDone() && !call.isCompletedExceptionally();
      write.done.completeExceptionally(
          answered
              ? new NotReplicatedException(missed(write, ""), null)
              : new OutcomeUnknownException(
                  describe
                      + " did not answer '"
                      + write.script.verb
                      + "' within "
                      + Uris.shortly(Duration.ofNanos(timeoutNanos)),
                  null));
    }
  }

  private String missed(Write<?> write, String count) {
    return "the lease of "
        + Names.quoted(write.keys.name())
        + " was not confirmed by "
        + (policy.every()
            ? "all replicas"
            : policy.count() + (policy.count() == 1 ? " replica" : " replicas"))
        + " of "
        + describe
        + " within "
        + Uris.shortly(Duration.ofNanos(timeoutNanos))
        + count;
  }

  private void enqueue(Write<?> write) {
    Line line = scripts.route().line(write.keys);
    if (line == null) {
      write.done.completeExceptionally(
          new BackendException(
              describe + " has no master for " + Names.quoted(write.keys.name()) + " at present",
              null));
      return;
    }
    Group group = groups.computeIfAbsent(line, any -> new Group());
    synchronized (group) {
      group.coming.add(write);
      if (group.underWay) {
        return;
      }
      group.underWay = true;
    }
    sendNext(line, group);
  }

  private void sendNext(Line line, Group group) {
    List<Write<?>> batch = new ArrayList<>();
    synchronized (group) {
      for (Write<?> write : group.coming) {
        if (!write.done.isDone()) {
          batch.add(write);
        }
      }
      group.coming.clear();
      if (batch.isEmpty()) {
        group.underWay = false;
        groups.remove(line, group);
        return;
      }
    }
    long until = batch.get(0).until;
    for (Write<?> write : batch) {
      send(write, line);
      until = Math.max(until, write.until);
    }
    long last = until;
    CompletionStage<Integer> wanted =
        policy.every() ? replicas(line) : CompletableFuture.completedFuture(policy.count());
    wanted
        .thenCompose(
            count ->
                count == 0
                    ? CompletableFuture.completedFuture(new Count(0, 0))
                    : await(line, count, last).thenApply(n -> new Count(count, n)))
        .whenComplete(
            (count, failure) -> {
              for (Write<?> write : batch) {
                settle(write, count, failure);
              }
              sendNext(line, group);
            });
  }

  private <T> void send(Write<T> write, Line line) {
    ScriptCall<T> call =
        new ScriptCall<>(
            scripts,
            write.script,
            write.keys,
            write.client,
            write.numbers,
            null,
            Reply::new,
            write.decoder);
    write.call = call;
    scripts.send(call, line);
  }

  /** Those that the master would have to wait for. */
  private CompletableFuture<Integer> replicas(Line line) {
    return scripts.send(
        new NativeCall<>(
            scripts,
            "replicas",
            ROLE,
            NO_KEYS,
            0,
            out -> {},
            new Reply("replicas"),
            reply -> {
              List<String> words = reply.words(); // "master", then host, port, offset of each
              if (!words.get(0).equals("master")) {
                throw new BackendException(line.describe + " is no master at present", null);
              }
              return (words.size() - 1) / WORDS_OF_A_REPLICA;
            }),
        line);
  }

  private CompletableFuture<Integer> await(Line line, int count, long until) {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()));
    return scripts.send(
        new NativeCall<>(
            scripts,
            "wait for replicas",
            WAIT,
            NO_KEYS,
            2,
            out -> {
              Wire.writeWord(out, count);
              Wire.writeWord(out, millis);
            },
            new Reply("wait for replicas"),
            reply -> (int) reply.number(0)),
        line);
  }

  private <T> void settle(Write<T> write, @Nullable Count count, @Nullable Throwable failure) {
    ScriptCall<T> call = write.call;
    if (call == null) {
      return;
    }
    if (call.wasRepeated()) { // after the WAIT, or on another server
      call.whenComplete(
          (answer, failed) -> {
            if (failed != null) {
              write.done.completeExceptionally(failed);
            } else {
              enqueue(write);
            }
          });
      return;
    }
    if (failure != null || count == null) {
      write.done.completeExceptionally(
          failure == null ? new IllegalStateException("neither answer nor failure") : failure);
      return;
    }
    call.whenComplete( // it has its answer: that came before the one to WAIT
        (answer, failed) -> {
          if (failed != null) {
            write.done.completeExceptionally(failed);
          } else if (count.wanted > 0 && count.confirmed >= count.wanted) {
            write.done.complete(answer);
          } else {
            write.done.completeExceptionally(
                new NotReplicatedException(
                    missed(write, ": " + count.confirmed + " of " + count.wanted + " did"), null));
          }
        });
  }

  @Override
  public void close() {
    scripts.close();
  }
}
