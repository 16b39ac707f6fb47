package dev.sluice.redis.verbs;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.LazySubscription;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.Replicated;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LockKeys;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.text.Names;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a Redis backend, or its semaphores and read-write locks; each operation is one
 * script. A lock leaves out the arguments about units, for it has one. Safe for use by many
 * threads.
 */
public final class RedisGrants implements GrantBackend {
  /*
   * A release is sent before the next acquire of its client. If the server does not know the
   * script, or its slot is on the way, the release is sent again, and the acquire may be carried
   * out first. The store then ends the earlier grant on behalf of the later attempt and reports
   * it, and the release finds nothing. Its answer is still that it freed a live grant.
   */
  private static final int MAX_OVERTAKEN = 1_000;

  /** A grant that ended because a later attempt of its client arrived before its release. */
  private record Overtaken(String name, String client, long attempt) {}

  private final ScriptRunner scripts;

  /**
   * The superseded grants, with the time when the later attempt was sent; guarded by its monitor.
   */
  private final Map<Overtaken, Long> overtaken =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Overtaken, Long> eldest) {
          return size() > MAX_OVERTAKEN;
        }
      };

  /** Runs grants that replicas must confirm; null if none is waited for. */
  private final @Nullable Replicated replicated;

  private final LazySubscription subscription;
  private final RareCommands rare;
  private final LockKeys keys;

  /** Whether names have one unit. */
  private final boolean areLocks;

  private final Script acquire;
  private final Script renew;
  private final Script release;
  private final Script inspect;

  /** The grants of locks. */
  private final @Nullable Script releaseAfter;

  private final @Nullable Script force;

  /** The grants of names with several units. */
  private final @Nullable Script resize;

  private RedisGrants(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      LazySubscription subscription,
      RareCommands rare,
      LockKeys keys,
      boolean areLocks,
      UnaryOperator<String> change) {
    this.scripts = scripts;
    this.replicated = replicated;
    this.subscription = subscription;
    this.rare = rare;
    this.keys = keys;
    this.areLocks = areLocks;
    this.acquire = Script.load("lock/acquire", change);
    this.renew = Script.load("lock/renew", change);
    this.release = Script.load("lock/release", change);
    this.inspect = Script.load("lock/inspect", change);
    this.releaseAfter = areLocks ? Script.load("lock/release_after", change) : null;
    this.force = areLocks ? Script.load("lock/force", change) : null;
    this.resize = areLocks ? null : Script.load("lock/resize", change);
  }

  public static RedisGrants ofLocks(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      LazySubscription subscription,
      RareCommands rare,
      KeySpace space,
      UnaryOperator<String> change) {
    return new RedisGrants(
        scripts, replicated, subscription, rare, LockKeys.ofLocks(space), true, change);
  }

  public static RedisGrants ofPermits(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      LazySubscription subscription,
      RareCommands rare,
      KeySpace space,
      UnaryOperator<String> change) {
    return new RedisGrants(
        scripts, replicated, subscription, rare, LockKeys.ofPermits(space), false, change);
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    long sentAt = System.nanoTime();
    subscription.expect(request.ttlMicros());
    CompletableFuture<GrantReply> asked =
        scripts.run(
            acquire,
            keys.of(request.name()),
            ScriptRunner.checkClient(request.client()),
            areLocks ? numbersOfLock(request) : numbersOfUnits(request),
            reply -> acquired(request, sentAt, reply));
    return replicated == null
        ? asked
        : asked.thenCompose(
            reply ->
                reply instanceof GrantReply.Granted
                    ? confirm(request, reply)
                    : CompletableFuture.completedFuture(reply));
  }

  private static long[] numbersOfLock(GrantRequest request) {
    return new long[] {
      request.attempt(), request.ttlMicros(), request.block(), request.queue() ? 1 : 0
    };
  }

  private static long[] numbersOfUnits(GrantRequest request) {
    return new long[] {
      request.attempt(),
      request.ttlMicros(),
      request.block(),
      request.queue() ? 1 : 0,
      request.capacity(),
      request.least(),
      request.most(),
      request.first() ? 1 : 0
    };
  }

  private CompletableFuture<GrantReply> confirm(GrantRequest request, GrantReply granted) {
    return Replicated.confirm(
        granted,
        new GrantReply.Over(),
        renew(request, request.ttlMicros()),
        () -> release(request, 0));
  }

  private GrantReply acquired(GrantRequest request, long sentAt, Reply reply) {
    GrantReply answer = answer(request, reply);
    int usual =
        answer instanceof GrantReply.Granted ? 6 : answer instanceof GrantReply.Queued ? 3 : 2;
    if (reply.count() > usual) {
      synchronized (overtaken) {
        overtaken.put(new Overtaken(request.name(), request.client(), reply.number(usual)), sentAt);
      }
    }
    return answer;
  }

  private static GrantReply answer(GrantRequest request, Reply reply) {
    return switch ((int) reply.number(0)) {
      case 0 -> new GrantReply.Over();
      case 1 ->
          new GrantReply.Granted(
              reply.number(1),
              (int) reply.number(2),
              reply.number(3),
              (int) reply.number(4),
              (int) reply.number(5));
      case 2 -> new GrantReply.Busy(reply.number(1));
      case 3 -> new GrantReply.Queued((int) reply.number(1), reply.number(2));
      default ->
          throw new WrongCapacityException(
              Names.quoted(request.name()), (int) reply.number(1), request.capacity());
    };
  }

  /** Whether the next acquire overtook a release that found nothing. */
  private boolean wasOvertaken(GrantAttempt attempt, long sentAt) {
    synchronized (overtaken) {
      if (overtaken.isEmpty()) {
        return false;
      }
      Long laterAt =
          overtaken.remove(new Overtaken(attempt.name(), attempt.client(), attempt.attempt()));
      return laterAt != null && laterAt - sentAt >= 0;
    }
  }

  @Override
  public CompletableFuture<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    CallKeys where = keys.of(attempt.name());
    String who = ScriptRunner.checkClient(attempt.client());
    long[] numbers = {attempt.attempt(), ttlMicros};
    subscription.expect(ttlMicros);
    return replicated == null
        ? scripts.run(renew, where, who, numbers, RedisGrants::renewed)
        : replicated.run("lease", renew, where, who, numbers, RedisGrants::renewed);
  }

  static RenewReply renewed(Reply reply) {
    return reply.number(0) == 0
        ? new RenewReply.Gone()
        : new RenewReply.Renewed(reply.number(1), (int) reply.number(2));
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    long sentAt = System.nanoTime();
    return scripts.run(
        release,
        keys.of(attempt.name()),
        ScriptRunner.checkClient(attempt.client()),
        areLocks ? new long[] {attempt.attempt()} : new long[] {attempt.attempt(), keep},
        reply -> reply.number(0) == 1 || wasOvertaken(attempt, sentAt));
  }

  @Override
  public Optional<Delay> delay() {
    return Optional.ofNullable(releaseAfter)
        .map(
            script ->
                (attempt, delayMicros) ->
                    scripts.run(
                        script,
                        keys.of(attempt.name()),
                        ScriptRunner.checkClient(attempt.client()),
                        new long[] {attempt.attempt(), delayMicros},
                        reply -> reply.number(0) == 1));
  }

  @Override
  public Optional<Force> force() {
    return Optional.ofNullable(force)
        .map(
            script ->
                (name, token) ->
                    scripts.run(
                        script, keys.of(name), null, new long[] {token}, RedisGrants::forced));
  }

  @Override
  public Optional<Resize> resize() {
    return Optional.ofNullable(resize)
        .map(
            script ->
                (name, capacity) ->
                    scripts.run(
                        script,
                        keys.of(name),
                        null,
                        new long[] {capacity},
                        reply -> (int) reply.number(0)));
  }

  private static Optional<ForcedRelease> forced(Reply reply) {
    return reply.number(0) == 0
        ? Optional.empty()
        : Optional.of(new ForcedRelease(holder(reply, 1), reply.number(5)));
  }

  private static LockInfo.Holder holder(Reply reply, int from) {
    return new LockInfo.Holder(
        reply.words().get(0),
        reply.number(from),
        reply.number(from + 1),
        Instant.EPOCH.plus(reply.number(from + 2), ChronoUnit.MICROS),
        Duration.of(reply.number(from + 3), ChronoUnit.MICROS));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return scripts.run(inspect, keys.of(name), null, new long[0], reply -> seen(name, reply));
  }

  /** The words are the clients; their numbers follow in the same order. */
  private PermitInfo seen(String name, Reply reply) {
    List<PermitInfo.Holder> holders = new ArrayList<>();
    List<PermitInfo.Waiter> waiters = new ArrayList<>();
    int grants = (int) reply.number(2);
    int at = 3;
    for (String client : reply.words()) {
      if (holders.size() < grants) {
        holders.add(
            new PermitInfo.Holder(
                client,
                reply.number(at),
                (int) reply.number(at + 1),
                reply.number(at + 2),
                Instant.EPOCH.plus(reply.number(at + 3), ChronoUnit.MICROS),
                Duration.of(reply.number(at + 4), ChronoUnit.MICROS)));
        at += 5;
      } else {
        waiters.add(new PermitInfo.Waiter(client, reply.number(at), (int) reply.number(at + 1)));
        at += 2;
      }
    }
    int capacity = areLocks ? 1 : (int) reply.number(1);
    return new PermitInfo(name, capacity, holders, waiters, reply.number(0));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return rare.names(areLocks ? LockKeys.LOCK_SUFFIX : LockKeys.PERMITS_SUFFIX, limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return subscription.listen(
        client,
        box -> areLocks ? box.listen(client, listener) : box.listenForPermits(client, listener));
  }

  @Override
  public void unlisten(String client) {
    subscription.unlisten(
        box -> {
          if (areLocks) {
            box.unlisten(client);
          } else {
            box.unlistenForPermits(client);
          }
        });
  }
}
