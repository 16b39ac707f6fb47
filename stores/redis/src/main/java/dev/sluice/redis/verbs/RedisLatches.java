package dev.sluice.redis.verbs;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.LazySubscription;
import dev.sluice.redis.connection.Replicated;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import dev.sluice.text.Names;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The latches of a Redis backend; each operation is one script. Safe for use by many threads. */
public final class RedisLatches implements LatchBackend {
  private final ScriptRunner scripts;

  /** Runs changes that replicas must confirm; null if none is waited for. */
  private final @Nullable Replicated replicated;

  private final LazySubscription subscription;
  private final String open;
  private final Script set;
  private final Script down;
  private final Script look;

  public RedisLatches(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      LazySubscription subscription,
      KeySpace space,
      UnaryOperator<String> change) {
    this.scripts = scripts;
    this.open = space.open();
    this.replicated = replicated;
    this.subscription = subscription;
    this.set = Script.load("latch/latch_set", change);
    this.down = Script.load("latch/latch_down", change);
    this.look = Script.load("latch/latch_look", change);
  }

  private CallKeys keys(String name) {
    String start = open + Names.encode(name);
    return new CallKeys(name, List.of(start + "}:latch", start + "}:latchers"));
  }

  @Override
  public CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros) {
    long[] numbers = {number, count, keepMicros};
    return change(set, name, client, numbers, reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Long> countDown(String name, String client, long number, long by) {
    return change(down, name, client, new long[] {number, by}, reply -> reply.number(0));
  }

  /**
   * A change that too few replicas confirmed exists at the master and cannot be undone. So its
   * outcome is unknown: the client repeats it under the same number.
   */
  private <T> CompletionStage<T> change(
      Script script, String name, String client, long[] numbers, Function<Reply, T> decoder) {
    CallKeys where = keys(name);
    String who = ScriptRunner.checkClient(client);
    return replicated == null
        ? scripts.run(script, where, who, numbers, decoder)
        : replicated
            .run("count", script, where, who, numbers, decoder)
            .exceptionallyCompose(
                failure ->
                    CompletableFuture.failedFuture(
                        failure instanceof NotReplicatedException missed
                            ? new OutcomeUnknownException(
                                String.valueOf(missed.getMessage()), missed)
                            : failure));
  }

  @Override
  public CompletionStage<LatchReply> look(String name, String waiter) {
    if (!waiter.isEmpty()) {
      subscription.expect(0); // it looks again every second
    }
    return scripts.run(
        look,
        keys(name),
        waiter.isEmpty() ? "" : ScriptRunner.checkClient(waiter),
        new long[0],
        reply -> new LatchReply(reply.number(0), reply.number(1), reply.number(2)));
  }

  @Override
  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    return subscription.listen(client, box -> box.listenForLatches(client, listener));
  }

  @Override
  public void unlistenForLatches(String client) {
    subscription.unlisten(box -> box.unlistenForLatches(client));
  }
}
