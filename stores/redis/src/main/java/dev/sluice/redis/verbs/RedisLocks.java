package dev.sluice.redis.verbs;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.redis.connection.Mail;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.Replicated;
import dev.sluice.redis.connection.Reply;
import dev.sluice.redis.connection.Script;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LockKeys;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
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

/** The locks of a Redis backend: each verb is one script. Safe for use by many threads. */
public final class RedisLocks implements LockBackend {
  /*
   * A release is sent before the next acquire of its client. If the server does not know the script,
   * or its slot is on the way, the release is sent again, and the acquire may be carried out first.
   * The store then ends the earlier grant on behalf of the later attempt and says so, and the release
   * finds nothing. Its answer is still that it freed a live grant.
   */
  private static final int MOST_OVERTAKEN = 1_000;

  /** A grant that ended because a later attempt of its client came before its release. */
  private record Overtaken(String name, String client, long attempt) {}

  private final ScriptRunner scripts;

  /** With the time when the later attempt was sent; guarded by itself. */
  private final Map<Overtaken, Long> overtaken =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Overtaken, Long> eldest) {
          return size() > MOST_OVERTAKEN;
        }
      };

  /** For grants that replicas must have; null if none is waited for. */
  private final @Nullable Replicated replicated;

  private final Mail mail;
  private final RareCommands rare;
  private final LockKeys keys;
  private final Script acquire;
  private final Script renew;
  private final Script release;
  private final Script releaseAfter;
  private final Script force;
  private final Script inspect;

  public RedisLocks(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      Mail mail,
      RareCommands rare,
      KeySpace space,
      UnaryOperator<String> change) {
    this.scripts = scripts;
    this.keys = LockKeys.ofLocks(space);
    this.replicated = replicated;
    this.mail = mail;
    this.rare = rare;
    this.acquire = Script.load("lock/acquire", change);
    this.renew = Script.load("lock/renew", change);
    this.release = Script.load("lock/release", change);
    this.releaseAfter = Script.load("lock/release_after", change);
    this.force = Script.load("lock/force", change);
    this.inspect = Script.load("lock/inspect", change);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
    long[] numbers = {
      request.attempt(), request.ttlMicros(), request.block(), request.queue() ? 1 : 0
    };
    long sentAt = System.nanoTime();
    mail.expect(request.ttlMicros());
    CompletableFuture<AcquireReply> asked =
        scripts.run(
            acquire,
            keys.of(request.name()),
            ScriptRunner.checkClient(request.client()),
            numbers,
            reply -> acquired(request, sentAt, reply));
    return replicated == null
        ? asked
        : asked.thenCompose(
            reply ->
                reply instanceof AcquireReply.Granted
                    ? confirm(request, reply)
                    : CompletableFuture.completedFuture(reply));
  }

  private CompletableFuture<AcquireReply> confirm(AcquireRequest request, AcquireReply granted) {
    String name = request.name();
    return Replicated.confirm(
        granted,
        new AcquireReply.Over(),
        renew(name, request.client(), request.attempt(), request.ttlMicros()),
        () -> release(name, request.client(), request.attempt()));
  }

  private AcquireReply acquired(AcquireRequest request, long sentAt, Reply reply) {
    AcquireReply answer = acquired(reply);
    int usual =
        answer instanceof AcquireReply.Granted ? 5 : answer instanceof AcquireReply.Queued ? 3 : 2;
    if (reply.count() > usual) {
      synchronized (overtaken) {
        overtaken.put(new Overtaken(request.name(), request.client(), reply.number(usual)), sentAt);
      }
    }
    return answer;
  }

  /** Whether a release that found nothing was overtaken by the next acquire. */
  private boolean wasOvertaken(String name, String client, long attempt, long sentAt) {
    synchronized (overtaken) {
      if (overtaken.isEmpty()) {
        return false;
      }
      Long laterAt = overtaken.remove(new Overtaken(name, client, attempt));
      return laterAt != null && laterAt - sentAt >= 0;
    }
  }

  /** What {@code acquire} and {@code permit_acquire} have in common. */
  static AcquireReply acquired(Reply reply) {
    return switch ((int) reply.number(0)) {
      case 0 -> new AcquireReply.Over();
      case 1 ->
          new AcquireReply.Granted(
              reply.number(1), (int) reply.number(2), reply.number(3), (int) reply.number(4));
      case 2 -> new AcquireReply.Busy(reply.number(1));
      default -> new AcquireReply.Queued((int) reply.number(1), reply.number(2));
    };
  }

  @Override
  public CompletableFuture<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    CallKeys where = keys.of(name);
    String who = ScriptRunner.checkClient(client);
    long[] numbers = {attempt, ttlMicros};
    mail.expect(ttlMicros);
    return replicated == null
        ? scripts.run(renew, where, who, numbers, RedisLocks::renewed)
        : replicated.run("lease", renew, where, who, numbers, RedisLocks::renewed);
  }

  static RenewReply renewed(Reply reply) {
    return reply.number(0) == 0
        ? new RenewReply.Gone()
        : new RenewReply.Renewed(reply.number(1), (int) reply.number(2));
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt) {
    long sentAt = System.nanoTime();
    return scripts.run(
        release,
        keys.of(name),
        ScriptRunner.checkClient(client),
        new long[] {attempt},
        reply -> reply.number(0) == 1 || wasOvertaken(name, client, attempt, sentAt));
  }

  @Override
  public CompletionStage<Boolean> releaseAfter(
      String name, String client, long attempt, long delayMicros) {
    return scripts.run(
        releaseAfter,
        keys.of(name),
        ScriptRunner.checkClient(client),
        new long[] {attempt, delayMicros},
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Optional<ForcedRelease>> forceRelease(String name, long token) {
    return scripts.run(force, keys.of(name), null, new long[] {token}, RedisLocks::forced);
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
  public CompletionStage<LockInfo> inspect(String name) {
    return scripts.run(inspect, keys.of(name), null, new long[0], reply -> inspected(name, reply));
  }

  private static LockInfo inspected(String name, Reply reply) {
    List<String> words = reply.words(); // holder, then waiters; numbers in the same order
    Optional<LockInfo.Holder> holder = Optional.empty();
    if (reply.number(1) == 1) {
      holder = Optional.of(holder(reply, 2));
    }
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    for (int i = 1; i < words.size(); i++) {
      waiters.add(new LockInfo.Waiter(words.get(i), reply.number(5 + i)));
    }
    return new LockInfo(name, holder, waiters, reply.number(0));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return rare.names(LockKeys.LOCK_SUFFIX, limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return mail.listen(client, box -> box.listen(client, listener));
  }

  @Override
  public void unlisten(String client) {
    mail.unlisten(box -> box.unlisten(client));
  }
}
