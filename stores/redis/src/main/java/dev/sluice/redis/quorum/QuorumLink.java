package dev.sluice.redis.quorum;

import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.SingleRoute;
import dev.sluice.redis.keys.QuorumKeys;
import dev.sluice.spi.GrantRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection to one run of a node's server. The run id is read once, before anything else is
 * sent, and goes with every script: a connection never outlives the server's run, so what was meant
 * for one run cannot take effect in the next.
 */
final class QuorumLink {
  static final int RUN_ID_LENGTH = 40;

  final String runId;

  /** The number of calls that wait for an answer. */
  private final AtomicInteger owed = new AtomicInteger();

  /** When the first call began to wait, or the last answer came; 0 if it left no call waiting. */
  private volatile long owedSince;

  private final SingleRoute route;
  private final ScriptRunner runner;
  private final QuorumScripts scripts;

  QuorumLink(SingleRoute route, ScriptRunner runner, QuorumScripts scripts, String runId) {
    if (runId.length() != RUN_ID_LENGTH) {
      throw new IllegalArgumentException("a run id has 40 characters: '" + runId + "'");
    }
    this.route = route;
    this.runner = runner;
    this.scripts = scripts;
    this.runId = runId;
  }

  private CompletableFuture<Vote> vote(Script script, String name, String client, long... numbers) {
    return watched(runner.run(script, scripts.keys.of(name), numbers, word(client), Vote::read));
  }

  private <T> CompletableFuture<T> watched(CompletableFuture<T> answer) {
    if (owed.getAndIncrement() == 0) {
      owedSince = System.nanoTime();
    }
    answer.whenComplete(
        (done, failure) -> {
          boolean none = owed.decrementAndGet() == 0;
          if (failure == null) {
            owedSince = none ? 0 : System.nanoTime();
          }
        });
    return answer;
  }

  /** Its answer has been pending for longer than a majority waits for it. */
  boolean isSlow() {
    long since = owedSince;
    return since != 0 && System.nanoTime() - since > Poll.GRACE_NANOS;
  }

  private byte[] word(String text) {
    return (runId + text).getBytes(StandardCharsets.UTF_8);
  }

  CompletableFuture<Vote> acquire(GrantRequest request, long token, int block) {
    return vote(
        scripts.acquire,
        request.name(),
        request.client(),
        request.attempt(),
        request.ttlMicros(),
        token,
        block,
        request.queue() ? 1 : 0);
  }

  CompletableFuture<Vote> raise(String name, String client, long attempt, long token, int block) {
    return vote(scripts.raise, name, client, attempt, token, block);
  }

  CompletableFuture<Vote> renew(String name, String client, long attempt, long ttlMicros) {
    return vote(scripts.renew, name, client, attempt, ttlMicros);
  }

  CompletableFuture<Vote> release(String name, String client, long attempt, boolean waits) {
    return vote(scripts.release, name, client, attempt, waits ? 1 : 0);
  }

  CompletableFuture<NodeView> inspect(String name) {
    return watched(
        runner.run(
            scripts.inspect, scripts.keys.of(name), new long[] {0}, word(""), NodeView::read));
  }

  /** The names of locks that the node knows. */
  CompletableFuture<List<String>> names(int limit) {
    return RareCommands.names(route, scripts.space, QuorumKeys.VOTE_SUFFIX, limit)
        .toCompletableFuture();
  }

  /**
   * A node's reply to a request to join.
   *
   * @param member it is a member
   * @param known it has a record, of this run or of an earlier one
   * @param maxTtlMicros the longest lease that it ever allowed
   * @param joining the rejoin id that stands
   */
  record JoinReply(boolean member, boolean known, long maxTtlMicros, String joining) {}

  /**
   * Writes a rejoin id, or returns the existing one.
   *
   * @param durable the server keeps every write, so its record is true as it is
   */
  CompletableFuture<JoinReply> requestJoin(String rejoinId, boolean durable) {
    return runner.run(
        scripts.requestJoin,
        scripts.keys.ofNode,
        new long[] {durable ? 1 : 0},
        word(rejoinId),
        reply ->
            new JoinReply(
                reply.number(0) == 1, reply.number(1) == 1, reply.number(2), reply.words().get(0)));
  }

  /**
   * The persistent data of a node.
   *
   * @param member it is a member
   * @param known it has a record, of this run or of an earlier one
   * @param maxTtlMicros the longest lease that it ever allowed
   * @param highest no token of any name that it ever stored is higher
   */
  record Memory(boolean member, boolean known, long maxTtlMicros, long highest) {}

  CompletableFuture<Memory> learn() {
    return runner.run(
        scripts.learn,
        scripts.keys.ofNode,
        new long[0],
        word(""),
        reply ->
            new Memory(
                reply.number(0) == 1, reply.number(1) == 1, reply.number(2), reply.number(3)));
  }

  /** Makes the node a member, if the rejoin id is still valid. */
  CompletableFuture<Boolean> join(String rejoinId, long floor, long maxTtlMicros) {
    return runner.run(
        scripts.join,
        scripts.keys.ofNode,
        new long[] {floor, maxTtlMicros},
        word(rejoinId),
        reply -> reply.number(0) == 1);
  }

  CompletableFuture<Void> close() {
    return route.leave();
  }
}
