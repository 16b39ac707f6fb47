package dev.sluice.jdbc.verbs;

import dev.sluice.jdbc.rows.Codecs;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import dev.sluice.state.ThrottleState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The limits of a SQL backend: a row for each tier of each key; one step updates all rows of a
 * decision. Safe for use by many threads.
 */
public final class JdbcLimits implements LimitBackend {
  private static final String COUNT = "limit";
  private static final String QUEUE = "queue";
  private static final String THROTTLE = "throttle";
  private static final Pattern TICKET = Pattern.compile("[0-9]{1,18}");

  private final Rows rows;
  private volatile boolean answered;

  public JdbcLimits(Rows rows) {
    this.rows = rows;
  }

  @Override
  public boolean hasAnswered() {
    return answered;
  }

  /** The expected duration of a decision, before the first measured one. */
  private <T> CompletionStage<T> noting(CompletionStage<T> call) {
    return answered ? call : call.whenComplete((answer, failure) -> answered = true);
  }

  @Override
  public CompletionStage<LimitReply> decide(LimitRequest request) {
    List<String> names = counts(request.limiter(), request.key(), request.rules());
    return noting(
        rows.decideAll(
            COUNT,
            names,
            Codecs.CELL,
            (now, cells, post) -> {
              cells.forEach(cell -> forgetOld(now, cell));
              return LimitState.decide(now, request, cells.toArray(new LimitState.Cell[0]));
            }));
  }

  private static List<String> counts(String limiter, String key, List<LimitRule> rules) {
    List<String> names = new ArrayList<>(rules.size() + 1);
    for (LimitRule rule : rules) {
      names.add(count(limiter, key, rule));
    }
    return names;
  }

  @Override
  public CompletionStage<Settlement> settle(SettleRequest request) {
    List<String> names = counts(request.limiter(), request.key(), request.rules());
    int tiers = names.size();
    names.add(request.limiter().length() + ":" + request.limiter() + ":=" + request.id());
    return noting(
        rows.decideAll(
            COUNT,
            names,
            Codecs.CELL,
            (now, cells, post) -> {
              cells.forEach(cell -> forgetOld(now, cell));
              return LimitState.settle(
                  now,
                  request,
                  cells.subList(0, tiers).toArray(new LimitState.Cell[0]),
                  cells.get(tiers));
            }));
  }

  /** Expired data is ignored, even before its row is deleted. */
  private static void forgetOld(long now, LimitState.Cell cell) {
    if (cell.expiresAt <= now) {
      cell.bytes = null;
    }
  }

  @Override
  public CompletionStage<Void> forget(String limiter, String key, List<LimitRule> rules) {
    if (rules.isEmpty()) {
      return rows.forget(QUEUE, List.of(queue(limiter, key)));
    }
    List<String> own = new ArrayList<>(rules.size());
    for (LimitRule rule : rules) {
      if (!rule.shared()) {
        own.add(count(limiter, key, rule));
      }
    }
    return rows.forget(COUNT, own);
  }

  /**
   * The name of a count; that of a settled id has = in front of the id. Names of limiters and keys
   * may be anything, so one says where it ends; the name of a tier has no colon and no =.
   */
  private static String count(String limiter, String key, LimitRule rule) {
    String tier = limiter.length() + ":" + limiter + ":" + rule.tier();
    return rule.shared() ? tier : tier + ":" + key;
  }

  private static String queue(String limiter, String key) {
    return limiter.length() + ":" + limiter + ":" + key;
  }

  @Override
  public CompletionStage<QueueReply> enter(QueueRequest request) {
    String name = queue(request.limiter(), request.key());
    return request.cost() == 0
        ? rows.peek(QUEUE, name, Codecs.QUEUE, (now, state, post) -> state.enter(now, request))
        : inQueue(request, (now, state, post) -> state.enter(now, request));
  }

  @Override
  public CompletionStage<QueueReply> advance(QueueRequest request) {
    return inQueue(request, (now, state, post) -> state.advance(now, request, post));
  }

  @Override
  public CompletionStage<Boolean> leave(QueueRequest request) {
    return inQueue(request, (now, state, post) -> state.leave(now, request, post));
  }

  @FunctionalInterface
  private interface Decision<T> {
    T decide(long now, QueueState state, QueueState.Post post);
  }

  private <T> CompletionStage<T> inQueue(QueueRequest request, Decision<T> decision) {
    return noting(
        rows.decide(
            QUEUE,
            queue(request.limiter(), request.key()),
            Codecs.QUEUE,
            (now, state, post) ->
                decision.decide(
                    now, state, (client, ticket) -> post.send(client, Long.toString(ticket)))));
  }

  @Override
  public CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener) {
    return rows.listen(
        QUEUE,
        client,
        text -> {
          if (TICKET.matcher(text).matches()) { // anybody may send anything
            listener.accept(Long.valueOf(text));
          }
        });
  }

  @Override
  public void unlistenForTurns(String client) {
    rows.unlisten(QUEUE, client);
  }

  @Override
  public CompletionStage<ThrottleReply> throttle(String key, ThrottleRequest request) {
    return rows.decide(
        THROTTLE, key, Codecs.CELL, (now, cell, post) -> ThrottleState.decide(now, cell, request));
  }
}
