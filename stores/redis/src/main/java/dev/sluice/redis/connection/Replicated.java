package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.redis.command.NativeCall;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.Wire;
import dev.sluice.spi.RenewReply;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts whose effect counts only once replicas have it: confirmations of grants, renewals
 * and latches. Safe for use by many threads.
 */
public final class Replicated implements AutoCloseable {
  /*
   * WAIT holds up its connection until the replicas have confirmed what was written on it, and
   * every command behind it. So these scripts use a separate connection to each server, in groups.
   * Scripts that come while a WAIT is under way are sent together after it, with one WAIT for all.
   * Scripts and their WAIT go over one connection, one after the other. If a script was repeated,
   * or the connection changed since the group began, the WAIT may have asked another server or
   * come before the script. It proves nothing then, and the script goes into the next group.
   *
   * ROLE comes before the scripts: a server that is no master, or has no replica, gets none.
   */
  private static final NativeCall.Command WAIT = NativeCall.Command.of("WAIT");
  private static final NativeCall.Command ROLE = NativeCall.Command.of("ROLE");
  private static final CallKeys NO_KEYS = new CallKeys("the replicas", List.of());
  private static final CompletionStage<String> NOBODY =
      CompletableFuture.completedStage(": 0 of 0 did");
  private static final int WORDS_OF_A_REPLICA = 3;

  /** WAIT has a timeout; the timer is for a server that ignores it. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** One script under way. */
  private static final class Write<T> {
    final String what;
    final Script script;
    final CallKeys keys;
    final byte[] client;
    final long[] numbers;
    final Function<Reply, T> decoder;
    final long until;
    final CompletableFuture<T> done = new CompletableFuture<>();

    /** Null before it is sent, and before a retry. */
    volatile @Nullable ScriptCall<T> call;

    /** The write was executed without proof of replication. */
    volatile boolean answered;

    Write(
        String what,
        Script script,
        CallKeys keys,
        byte[] client,
        long[] numbers,
        Function<Reply, T> decoder,
        long until) {
      this.what = what;
      this.script = script;
      this.keys = keys;
      this.client = client;
      this.numbers = numbers;
      this.decoder = decoder;
      this.until = until;
    }
  }

  /** The writes to one server; guarded by its monitor. */
  private static final class Group {
    final List<Write<?>> coming = new ArrayList<>();
    boolean underWay;
  }

  private final String describe;
  private final ScriptRunner scripts;
  private final ReplicaPolicy policy;
  private final long timeoutNanos;
  private final Map<CommandConnection, Group> groups = new ConcurrentHashMap<>();

  /** {@return whether a policy waits for any replica} */
  static boolean isWanted(ReplicaPolicy policy) {
    return policy.count() > 0 || policy.isAll();
  }

  /**
   * @param scripts over connections that nothing else uses
   * @param requestTimeout of the backend
   */
  public Replicated(
      String describe, ScriptRunner scripts, ReplicaPolicy policy, Duration requestTimeout) {
    this.describe = describe;
    this.scripts = scripts;
    this.policy = policy;
    this.timeoutNanos = Math.min(policy.timeout().toNanos(), requestTimeout.toNanos() / 2);
  }

  /**
   * Runs a script that writes, and may be retried.
   *
   * @param what the script changes, for messages: the lease, the latch
   * @return the answer, once replicas have it; {@link NotReplicatedException} if too few confirmed
   */
  public <T> CompletableFuture<T> run(
      String what,
      Script script,
      CallKeys keys,
      String client,
      long[] numbers,
      Function<Reply, T> decoder) {
    Write<T> write =
        new Write<>(
            what,
            script,
            keys,
            Wire.bytes(client),
            numbers,
            decoder,
            System.nanoTime() + timeoutNanos);
    CompletableFuture.delayedExecutor(
            timeoutNanos + Math.min(timeoutNanos, GRACE_NANOS), TimeUnit.NANOSECONDS, Runnable::run)
        .execute(() -> giveUp(write));
    enqueue(write);
    return write.done;
  }

  /**
   * Confirms a grant: renews it over the connection that waits, which proves that the grant still
   * exists on the server that WAIT asks.
   *
   * @param granted the reply
   * @param over the reply if the grant has ended
   * @param renewed by {@link #run}
   * @param release gives the grant back
   */
  public static <T> CompletableFuture<T> confirm(
      T granted,
      T over,
      CompletableFuture<RenewReply> renewed,
      Supplier<CompletionStage<Boolean>> release) {
    CompletableFuture<T> confirmed = new CompletableFuture<>();
    renewed.whenComplete(
        (reply, failure) -> {
          if (failure instanceof NotReplicatedException missed) {
            release
                .get()
                .whenComplete(
                    (freed, kept) ->
                        confirmed.completeExceptionally(
                            new NotReplicatedException(
                                missed.getMessage()
                                    + (kept == null
                                        ? "; the grant was released"
                                        : "; the grant could not be released yet"),
                                kept)));
          } else if (failure != null) {
            confirmed.completeExceptionally(failure);
          } else {
            confirmed.complete(reply instanceof RenewReply.Gone ? over : granted);
          }
        });
    return confirmed;
  }

  private void giveUp(Write<?> write) {
    if (!write.done.isDone()) {
      ScriptCall<?> call = write.call;
      boolean answered =
          write.answered || call != null && call.isDone() && !call.isCompletedExceptionally();
      write.done.completeExceptionally(
          answered
              ? new NotReplicatedException(missed(write, ""), null)
              : new OutcomeUnknownException(
                  describe
                      + " did not answer '"
                      + write.script.verb
                      + "' within "
                      + RedisFailures.shortly(Duration.ofNanos(timeoutNanos)),
                  null));
    }
  }

  private String missed(Write<?> write, String count) {
    return "the "
        + write.what
        + " of "
        + Names.quoted(write.keys.name())
        + " was not confirmed by "
        + (policy.isAll()
            ? "all replicas"
            : policy.count() + (policy.count() == 1 ? " replica" : " replicas"))
        + " of "
        + describe
        + " within "
        + RedisFailures.shortly(Duration.ofNanos(timeoutNanos))
        + count;
  }

  private void enqueue(Write<?> write) {
    CommandConnection connection = scripts.route().connection(write.keys);
    if (connection == null) {
      write.done.completeExceptionally(
          new BackendException(
              describe + " has no master for " + Names.quoted(write.keys.name()) + " at present",
              null));
      return;
    }
    Group group = groups.computeIfAbsent(connection, any -> new Group());
    synchronized (group) {
      group.coming.add(write);
      if (group.underWay) {
        return;
      }
      group.underWay = true;
    }
    sendNext(connection, group);
  }

  private void sendNext(CommandConnection connection, Group group) {
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
        groups.remove(connection, group);
        return;
      }
    }
    int number = connection.connectionNumber();
    CompletionStage<Integer> wanted =
        policy.isAll() ? replicas(connection) : CompletableFuture.completedFuture(policy.count());
    wanted
        .thenCompose(count -> count == 0 ? NOBODY : sendAll(batch, connection, count))
        .whenComplete(
            (missing, failure) -> {
              boolean same = number == connection.connectionNumber();
              for (Write<?> write : batch) {
                settle(write, same, missing, failure);
              }
              sendNext(connection, group);
            });
  }

  /** {@return the missing confirmations as text, empty if enough replicas confirmed} */
  private CompletionStage<String> sendAll(
      List<Write<?>> batch, CommandConnection connection, int wanted) {
    long until = System.nanoTime();
    for (Write<?> write : batch) {
      if (!write.done.isDone()) {
        send(write, connection);
      }
      until = Math.max(until, write.until);
    }
    return await(connection, wanted, until)
        .thenApply(
            confirmed -> confirmed >= wanted ? "" : ": " + confirmed + " of " + wanted + " did");
  }

  private <T> void send(Write<T> write, CommandConnection connection) {
    ScriptCall<T> call =
        new ScriptCall<>(
            scripts.failures(),
            write.script,
            write.keys,
            write.client,
            write.numbers,
            null,
            Reply::new,
            write.decoder);
    write.call = call;
    scripts.send(call, connection);
  }

  /** The replicas that the master would wait for. */
  private CompletableFuture<Integer> replicas(CommandConnection connection) {
    return scripts.send(
        new NativeCall<>(
            scripts.failures(),
            "replicas",
            ROLE,
            NO_KEYS,
            0,
            out -> {},
            new Reply("replicas"),
            reply -> {
              List<String> words = reply.words(); // "master", then host, port, offset of each
              if (!words.get(0).equals("master")) {
                throw new BackendException(connection.describe + " is no master at present", null);
              }
              return (words.size() - 1) / WORDS_OF_A_REPLICA;
            }),
        connection);
  }

  private CompletableFuture<Integer> await(CommandConnection connection, int count, long until) {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()));
    return scripts.send(
        new NativeCall<>(
            scripts.failures(),
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
        connection);
  }

  private <T> void settle(
      Write<T> write, boolean same, @Nullable String missing, @Nullable Throwable failure) {
    ScriptCall<T> call = write.call;
    if (call != null && (!same || call.wasRepeated())) {
      write.call = null;
      call.whenComplete(
          (answer, failed) -> {
            if (failed != null) {
              write.done.completeExceptionally(failed);
            } else {
              write.answered = true;
              enqueue(write);
            }
          });
      return;
    }
    if (failure != null || missing == null) {
      write.done.completeExceptionally(
          failure == null ? new IllegalStateException("neither answer nor failure") : failure);
      return;
    }
    if (call == null) { // there was no replica, or it was given up
      write.done.completeExceptionally(new NotReplicatedException(missed(write, missing), null));
      return;
    }
    call.whenComplete( // it has its answer: that came before the one to WAIT
        (answer, failed) -> {
          if (failed != null) {
            write.done.completeExceptionally(failed);
          } else if (missing.isEmpty()) {
            write.done.complete(answer);
          } else {
            write.done.completeExceptionally(
                new NotReplicatedException(missed(write, missing), null));
          }
        });
  }

  @Override
  public void close() {
    scripts.close();
  }
}
