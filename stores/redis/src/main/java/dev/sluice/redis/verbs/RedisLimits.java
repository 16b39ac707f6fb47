package dev.sluice.redis.verbs;

import dev.sluice.limit.Settlement;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.LazySubscription;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LimitKeys;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The limits of a Redis backend: each decision is one script. Safe for use by many threads. */
public final class RedisLimits implements LimitBackend {
  /** Added to the carry-over of a tier that counts calls. */
  private static final int PER_CALL = 3;

  private static final Settlement[] SETTLEMENTS = {
    Settlement.COUNTED, Settlement.REPEATED, Settlement.LATE
  };
  private static final int NUMBERS_OF_A_RULE = 6;
  private static final int NUMBERS_OF_A_BUCKET = 5;

  private final ScriptRunner scripts;
  private final LazySubscription subscription;
  private final LimitKeys keys;
  private final Script limit;
  private final Script bucket;
  private final Script settle;
  private final Script forget;
  private final Script enter;
  private final Script advance;
  private final Script leave;
  private final Script throttle;

  public RedisLimits(
      ScriptRunner scripts,
      LazySubscription subscription,
      KeySpace space,
      UnaryOperator<String> change) {
    this.scripts = scripts;
    this.subscription = subscription;
    this.keys = new LimitKeys(space);
    this.limit = Script.load("limit/limit", change);
    this.bucket = Script.load("limit/bucket", change);
    this.settle = Script.load("limit/settle", change);
    this.forget = Script.load("limit/forget", UnaryOperator.identity());
    this.enter = Script.load("limit/pace_enter", change);
    this.advance = Script.load("limit/pace_advance", change);
    this.leave = Script.load("limit/pace_leave", change);
    this.throttle = Script.load("limit/throttle", change);
  }

  @Override
  public CompletionStage<LimitReply> decide(LimitRequest request) {
    List<LimitRule> rules = request.rules();
    CallKeys tiers = keys.tiers(request.limiter(), request.key(), rules);
    LimitRule first = rules.get(0);
    if (rules.size() == 1
        && first.kind() == LimitRule.Kind.BUCKET
        && first.version() == 0
        && request.verb() == LimitRequest.Verb.TAKE
        && request.cost() > 0) {
      return takeFromBucket(request, tiers, first);
    }
    return scripts.run(
        limit,
        tiers,
        null,
        numbers(
            rules,
            request.verb().ordinal(),
            request.cost(),
            request.times(),
            request.maxWaitMicros(),
            request.takenAtMicros()),
        RedisLimits::decided);
  }

  @Override
  public CompletionStage<Settlement> settle(SettleRequest request) {
    return scripts.run(
        settle,
        keys.settlement(request.limiter(), request.key(), request.rules(), request.id()),
        null,
        numbers(
            request.rules(),
            request.unused() ? 1 : 0,
            request.estimate(),
            request.actual(),
            request.withinMicros(),
            request.begunAtMicros()),
        reply -> SETTLEMENTS[(int) reply.number(0)]);
  }

  /** The arguments: the request and each tier. */
  private static long[] numbers(List<LimitRule> rules, long... asked) {
    int n = asked.length;
    long[] numbers = Arrays.copyOf(asked, n + NUMBERS_OF_A_RULE * rules.size());
    for (LimitRule rule : rules) {
      numbers[n++] = rule.kind().code();
      numbers[n++] = rule.capacity();
      numbers[n++] = rule.scale();
      numbers[n++] = rule.step();
      numbers[n++] = rule.version();
      numbers[n++] = rule.carryOver().ordinal() + (rule.perCall() ? PER_CALL : 0);
    }
    return numbers;
  }

  /** The reply of most decisions, at a fraction of the cost. */
  private CompletionStage<LimitReply> takeFromBucket(
      LimitRequest request, CallKeys tier, LimitRule rule) {
    long[] numbers = {
      rule.costOf(request.cost()),
      request.times(),
      rule.capacity(),
      rule.scale(),
      rule.step(),
      request.maxWaitMicros()
    };
    long capacity = rule.capacity();
    return scripts.run(
        bucket,
        tier,
        null,
        numbers,
        reply ->
            reply.count() == NUMBERS_OF_A_BUCKET
                ? new LimitReply(
                    (int) reply.number(0),
                    0,
                    0,
                    capacity,
                    reply.number(1),
                    reply.number(2),
                    reply.number(3),
                    0,
                    false,
                    reply.number(4))
                : decided(reply));
  }

  private static LimitReply decided(Reply reply) {
    return new LimitReply(
        (int) reply.number(0),
        reply.number(1),
        (int) reply.number(2),
        reply.number(3),
        reply.number(4),
        reply.number(5),
        reply.number(6),
        (int) reply.number(7),
        reply.number(8) == 1,
        reply.number(9));
  }

  @Override
  public CompletionStage<Void> forget(String limiter, String key, List<LimitRule> rules) {
    if (rules.isEmpty()) {
      return forget(keys.queue(limiter, key));
    }
    CallKeys all = keys.tiers(limiter, key, rules);
    List<String> own = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      if (!rules.get(i).shared()) {
        own.add(all.key(i + 1));
      }
    }
    return own.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : forget(new CallKeys(limiter, own));
  }

  private CompletionStage<Void> forget(CallKeys all) {
    return scripts
        .run(forget, all, null, new long[0], reply -> reply.number(0))
        .thenAccept(count -> {});
  }

  @Override
  public CompletionStage<QueueReply> enter(QueueRequest request) {
    subscription.expect(request.maxWaitMicros());
    return inQueue(
        enter,
        request,
        new long[] {request.ticket(), lengthOf(request), request.places(), request.maxWaitMicros()},
        RedisLimits::placed);
  }

  @Override
  public CompletionStage<QueueReply> advance(QueueRequest request) {
    return inQueue(
        advance, request, new long[] {request.ticket(), lengthOf(request)}, RedisLimits::placed);
  }

  @Override
  public CompletionStage<Boolean> leave(QueueRequest request) {
    return inQueue(
        leave,
        request,
        new long[] {request.ticket(), lengthOf(request)},
        reply -> reply.number(0) == 1);
  }

  private <T> CompletionStage<T> inQueue(
      Script verb, QueueRequest request, long[] numbers, Function<Reply, T> decoder) {
    CallKeys queue = keys.queue(request.limiter(), request.key());
    return scripts.run(verb, queue, ScriptRunner.checkClient(request.client()), numbers, decoder);
  }

  private static long lengthOf(QueueRequest request) {
    return request.cost() * request.intervalMicros();
  }

  private static QueueReply placed(Reply reply) {
    return new QueueReply(
        reply.number(0) == 1,
        reply.number(1),
        (int) reply.number(2),
        reply.number(3),
        (int) reply.number(4));
  }

  @Override
  public CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    return subscription.listen(client, box -> box.listenForTurns(client, listener));
  }

  @Override
  public void unlistenForTurns(String client) {
    subscription.unlisten(box -> box.unlistenForTurns(client));
  }

  @Override
  public CompletionStage<ThrottleReply> throttle(String key, ThrottleRequest request) {
    long[] numbers = {request.limit(), request.scale(), request.step(), request.quantity()};
    return scripts.run(
        throttle,
        keys.throttle(key),
        null,
        numbers,
        reply ->
            new ThrottleReply(
                (int) reply.number(0),
                reply.number(1),
                reply.number(2),
                reply.number(3),
                reply.number(4)));
  }
}
