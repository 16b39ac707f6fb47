package dev.sluice.redis.verbs;

import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LockKeys;
import dev.sluice.redis.keys.PackedWord;
import dev.sluice.redis.keys.Wire;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The stocks of a Redis backend; each operation is one script. Safe for use by many threads. */
public final class RedisInventories implements InventoryBackend {
  /** The states by their stored numbers. */
  private static final ClaimState[] STATES = {
    ClaimState.UNKNOWN,
    ClaimState.QUEUED,
    ClaimState.HELD,
    ClaimState.CONFIRMED,
    ClaimState.CANCELLED,
    ClaimState.RETURNED,
    ClaimState.DEAD_LETTER
  };

  private static final int ACCEPTED = 3;

  /** The offset of the state of an existing claim. */
  private static final int ALREADY = 10;

  private static final long SECOND = 1_000_000;
  private static final int BYTES_OF_A_CLAIM = 64;
  private static final int NUMBERS_OF_A_ROW = 5;
  private static final int WORDS_OF_A_ROW = 2;

  private static final ClaimResult SOLD_OUT = refused(Outcome.SOLD_OUT);
  private static final ClaimResult CLOSED = refused(Outcome.CLOSED);
  private static final ClaimResult NOT_LOADED = refused(Outcome.NOT_LOADED);

  private final ScriptRunner scripts;
  private final RareCommands rare;
  private final LockKeys keys;
  private final Script open;
  private final Script close;
  private final Script resize;
  private final Script look;
  private final Script claim;
  private final Script confirm;
  private final Script cancel;
  private final Script find;
  private final Script expire;
  private final Script take;
  private final Script settle;
  private final Script aside;
  private final Script again;
  private final Script page;
  private final Script restore;

  public RedisInventories(
      ScriptRunner scripts, RareCommands rare, KeySpace space, UnaryOperator<String> change) {
    this.scripts = scripts;
    this.keys = LockKeys.ofStocks(space);
    this.rare = rare;
    this.open = Script.load("stock/stock_open", change);
    this.close = Script.load("stock/stock_close", change);
    this.resize = Script.load("stock/stock_resize", change);
    this.look = Script.load("stock/stock_look", change);
    this.claim = Script.load("stock/stock_claim", change);
    this.confirm = Script.load("stock/stock_confirm", change);
    this.cancel = Script.load("stock/stock_cancel", change);
    this.find = Script.load("stock/stock_find", change);
    this.expire = Script.load("stock/stock_expire", change);
    this.take = Script.load("stock/stock_take", change);
    this.settle = Script.load("stock/stock_settle", change);
    this.aside = Script.load("stock/stock_aside", change);
    this.again = Script.load("stock/stock_again", change);
    this.page = Script.load("stock/stock_page", change);
    this.restore = Script.load("stock/stock_restore", change);
  }

  private static ClaimResult refused(Outcome outcome) {
    return new ClaimResult(outcome, 0, ClaimState.UNKNOWN, 0);
  }

  private <T> CompletableFuture<T> run(
      Script script,
      String name,
      byte @Nullable [] word,
      long[] numbers,
      Function<Reply, T> decoder) {
    return scripts.run(script, keys.of(name), numbers, word, decoder);
  }

  // ---- the sale ----

  @Override
  public CompletionStage<SaleReply> open(String name, SaleTerms terms) {
    long[] numbers = {
      terms.epoch(),
      terms.total(),
      terms.holdMicros(),
      terms.drained() ? 1 : 0,
      terms.opensAt() / SECOND,
      terms.opensAt() % SECOND,
      terms.closesAt() / SECOND,
      terms.closesAt() % SECOND
    };
    return run(open, name, null, numbers, RedisInventories::sale);
  }

  @Override
  public CompletionStage<SaleReply> close(String name, long epoch) {
    return run(close, name, null, new long[] {epoch}, RedisInventories::sale);
  }

  @Override
  public CompletionStage<SaleReply> resize(String name, long epoch, long total) {
    return run(resize, name, null, new long[] {epoch, total}, RedisInventories::sale);
  }

  @Override
  public CompletionStage<SaleReply> look(String name) {
    return run(look, name, null, new long[0], RedisInventories::sale);
  }

  private static SaleReply sale(Reply reply) {
    long epoch = reply.number(1);
    long total = reply.number(2);
    SaleTerms terms =
        new SaleTerms(
            epoch,
            total,
            reply.number(3),
            reply.number(4) == 1,
            reply.number(5) * SECOND + reply.number(6),
            reply.number(7) * SECOND + reply.number(8));
    InventoryInfo figures =
        new InventoryInfo(
            epoch,
            reply.number(9) == 1,
            total,
            reply.number(10),
            reply.number(11),
            reply.number(12),
            reply.number(13),
            reply.number(14),
            reply.number(15),
            reply.number(16),
            reply.number(17),
            Duration.of(reply.number(18), ChronoUnit.MICROS));
    return new SaleReply(reply.number(0) == 1, epoch == 0 ? null : terms, figures);
  }

  // ---- claims ----

  @Override
  public CompletionStage<ClaimsReply> claim(String name, List<ClaimRequest> requests) {
    PackedWord word = new PackedWord(BYTES_OF_A_CLAIM * requests.size());
    for (ClaimRequest request : requests) {
      word.text(2, request.claimant()).number(4, request.quantity()).text(1, request.requestId());
    }
    return run(claim, name, word.bytes(), new long[0], reply -> claimed(requests, reply));
  }

  private static ClaimsReply claimed(List<ClaimRequest> requests, Reply reply) {
    List<ClaimResult> results = new ArrayList<>(requests.size());
    // a claim without hold or drain is final, else the store says where it stands
    ClaimState accepted = STATES[(int) reply.number(2)];
    int at = 3;
    for (ClaimRequest request : requests) {
      int code = (int) reply.number(at++);
      switch (code) {
        case 0 -> results.add(SOLD_OUT);
        case 1 -> results.add(CLOSED);
        case 2 -> results.add(NOT_LOADED);
        case ACCEPTED ->
            results.add(
                new ClaimResult(
                    Outcome.ACCEPTED, reply.number(at++), accepted, request.quantity()));
        default ->
            results.add(
                new ClaimResult(
                    Outcome.ALREADY_CLAIMED,
                    reply.number(at++),
                    STATES[code - ALREADY],
                    (int) reply.number(at++)));
      }
    }
    return new ClaimsReply(results, reply.number(0), reply.number(1));
  }

  @Override
  public CompletionStage<ClaimState> confirm(String name, ClaimMark mark) {
    return run(
        confirm,
        name,
        Wire.bytes(mark.claimant()),
        new long[] {mark.id()},
        RedisInventories::state);
  }

  @Override
  public CompletionStage<ClaimState> cancel(String name, ClaimMark mark) {
    return run(
        cancel, name, Wire.bytes(mark.claimant()), new long[] {mark.id()}, RedisInventories::state);
  }

  private static ClaimState state(Reply reply) {
    return STATES[(int) reply.number(0)];
  }

  @Override
  public CompletionStage<@Nullable ClaimRow> find(String name, String claimant) {
    return run(
        find,
        name,
        Wire.bytes(claimant),
        new long[0],
        reply -> reply.words().isEmpty() ? null : row(reply, 1, 0));
  }

  /** A claim, by the indexes of its numbers and words; the first number is the epoch. */
  private static ClaimRow row(Reply reply, int number, int word) {
    return new ClaimRow(
        reply.number(0),
        reply.number(number),
        reply.words().get(word),
        (int) reply.number(number + 1),
        reply.words().get(word + 1),
        STATES[(int) reply.number(number + 2)],
        reply.number(number + 3),
        (int) reply.number(number + 4));
  }

  private static List<ClaimRow> rows(Reply reply, int number, int word) {
    List<ClaimRow> rows = new ArrayList<>();
    for (int w = word, n = number; w < reply.words().size(); w += WORDS_OF_A_ROW) {
      rows.add(row(reply, n, w));
      n += NUMBERS_OF_A_ROW;
    }
    return rows;
  }

  @Override
  public CompletionStage<Integer> expire(String name, int limit) {
    return run(expire, name, null, new long[] {limit}, RedisInventories::count);
  }

  private static int count(Reply reply) {
    return (int) reply.number(0);
  }

  // ---- the drain ----

  @Override
  public CompletionStage<List<ClaimRow>> take(
      String name, String consumer, int limit, long idleMicros) {
    long idleMillis = idleMicros / 1000 + (idleMicros % 1000 == 0 ? 0 : 1);
    return run(
        take,
        name,
        Wire.bytes(consumer),
        new long[] {limit, idleMillis},
        reply -> rows(reply, 1, 0));
  }

  @Override
  public CompletionStage<Integer> settle(
      String name, String consumer, List<ClaimMark> marks, Verdict verdict, String reason) {
    int code =
        switch (verdict) {
          case WRITTEN -> 0;
          case REJECTED -> 1;
          case DEAD_LETTER -> 2;
        };
    byte[] who = Wire.bytes(consumer);
    return marks.isEmpty()
        ? CompletableFuture.completedFuture(0)
        : scripts.run(
            settle,
            keys.of(name),
            new long[] {code, who.length},
            packed(marks),
            new ScriptCall.Payload(who, Wire.bytes(reason)),
            Reply::new,
            RedisInventories::count);
  }

  private static byte[] packed(List<ClaimMark> marks) {
    PackedWord word = new PackedWord(BYTES_OF_A_CLAIM * marks.size());
    for (ClaimMark mark : marks) {
      word.text(2, mark.claimant()).number(7, mark.id());
    }
    return word.bytes();
  }

  @Override
  public CompletionStage<List<DeadLetterRow>> deadLetters(String name, int limit) {
    return run(aside, name, null, new long[] {limit}, RedisInventories::asideRows);
  }

  private static List<DeadLetterRow> asideRows(Reply reply) {
    List<DeadLetterRow> rows = new ArrayList<>();
    int number = 1;
    for (int w = 0; w < reply.words().size(); w += WORDS_OF_A_ROW + 1) {
      rows.add(new DeadLetterRow(row(reply, number, w), reply.words().get(w + WORDS_OF_A_ROW)));
      number += NUMBERS_OF_A_ROW;
    }
    return rows;
  }

  @Override
  public CompletionStage<Integer> requeue(String name, List<ClaimMark> marks) {
    return marks.isEmpty()
        ? CompletableFuture.completedFuture(0)
        : run(again, name, packed(marks), new long[0], RedisInventories::count);
  }

  // ---- the ledger ----

  @Override
  public CompletionStage<ClaimPage> page(String name, String after, int limit) {
    return run(
        page,
        name,
        Wire.bytes(after.isEmpty() ? "0" : after),
        new long[] {limit},
        reply -> new ClaimPage(rows(reply, 1, 1), reply.words().get(0)));
  }

  @Override
  public CompletionStage<RestoreReply> restore(String name, long epoch, List<LedgerEntry> orders) {
    if (orders.isEmpty()) {
      return CompletableFuture.completedFuture(new RestoreReply(0, 0, List.of()));
    }
    PackedWord word = new PackedWord(BYTES_OF_A_CLAIM * orders.size());
    for (LedgerEntry order : orders) {
      word.text(2, order.claimant())
          .number(7, order.claimId())
          .number(4, order.quantity())
          .number(1, List.of(STATES).indexOf(order.state()))
          .text(1, order.requestId());
    }
    return run(
        restore,
        name,
        word.bytes(),
        new long[] {epoch},
        reply -> new RestoreReply((int) reply.number(1), (int) reply.number(2), rows(reply, 3, 0)));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return rare.names(LockKeys.STOCK_SUFFIX, limit);
  }
}
