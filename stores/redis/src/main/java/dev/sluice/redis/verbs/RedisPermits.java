package dev.sluice.redis.verbs;

import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.WrongCapacityException;
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
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.Names;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Semaphores and read-write locks: each verb is one script. */
public final class RedisPermits implements PermitBackend {
  private static final int WRONG_CAPACITY = 4;

  private final ScriptRunner scripts;

  /** For grants that replicas must have; null if none is waited for. */
  private final @Nullable Replicated replicated;

  private final Mail mail;
  private final RareCommands rare;
  private final LockKeys keys;
  private final Script acquire;
  private final Script renew;
  private final Script release;
  private final Script resize;
  private final Script inspect;

  public RedisPermits(
      ScriptRunner scripts,
      @Nullable Replicated replicated,
      Mail mail,
      RareCommands rare,
      KeySpace space,
      UnaryOperator<String> change) {
    this.scripts = scripts;
    this.keys = LockKeys.ofPermits(space);
    this.replicated = replicated;
    this.mail = mail;
    this.rare = rare;
    this.acquire = Script.load("lock/permit_acquire", change);
    this.renew = Script.load("lock/permit_renew", change);
    this.release = Script.load("lock/permit_release", change);
    this.resize = Script.load("lock/permit_resize", change);
    this.inspect = Script.load("lock/permit_inspect", change);
  }

  @Override
  public CompletionStage<PermitReply> acquire(PermitRequest request) {
    long[] numbers = {
      request.attempt(),
      request.ttlMicros(),
      request.capacity(),
      request.least(),
      request.most(),
      request.first() ? 1 : 0,
      request.block(),
      request.queue() ? 1 : 0
    };
    mail.expect(request.ttlMicros());
    CompletableFuture<PermitReply> asked =
        scripts.run(
            acquire,
            keys.of(request.name()),
            ScriptRunner.checkClient(request.client()),
            numbers,
            reply -> acquired(request, reply));
    return replicated == null
        ? asked
        : asked.thenCompose(
            reply ->
                reply.decision() instanceof AcquireReply.Granted
                    ? confirm(request, reply)
                    : CompletableFuture.completedFuture(reply));
  }

  private CompletableFuture<PermitReply> confirm(PermitRequest request, PermitReply granted) {
    String name = request.name();
    return Replicated.confirm(
        granted,
        new PermitReply(new AcquireReply.Over(), 0),
        renew(name, request.client(), request.attempt(), request.ttlMicros()),
        () -> release(name, request.client(), request.attempt(), 0));
  }

  private static PermitReply acquired(PermitRequest request, Reply reply) {
    if (reply.number(0) == WRONG_CAPACITY) {
      throw new WrongCapacityException(
          Names.quoted(request.name()), (int) reply.number(1), request.capacity());
    }
    int units = reply.number(0) == 1 ? (int) reply.number(5) : 0;
    return new PermitReply(RedisLocks.acquired(reply), units);
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

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return scripts.run(
        release,
        keys.of(name),
        ScriptRunner.checkClient(client),
        new long[] {attempt, keep},
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Integer> resize(String name, int capacity) {
    return scripts.run(
        resize, keys.of(name), null, new long[] {capacity}, reply -> (int) reply.number(0));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return scripts.run(inspect, keys.of(name), null, new long[0], reply -> inspected(name, reply));
  }

  /** Words are the clients; what belongs to each stands among the numbers, in the same order. */
  private static PermitInfo inspected(String name, Reply reply) {
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
    return new PermitInfo(name, (int) reply.number(1), holders, waiters, reply.number(0));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return rare.names(LockKeys.PERMITS_SUFFIX, limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    return mail.listen(client, box -> box.listenForPermits(client, listener));
  }

  @Override
  public void unlisten(String client) {
    mail.unlisten(box -> box.unlistenForPermits(client));
  }
}
