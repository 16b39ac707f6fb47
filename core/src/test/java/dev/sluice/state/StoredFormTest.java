package dev.sluice.state;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.ThrottleRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A state that was written and read goes on as if nothing had happened. */
class StoredFormTest {
  private static final long START = 1_800_000_000_000_000L;
  private static final int HISTORIES = 60;
  private static final int STEPS = 200;

  /** One step on a state: the answer, and what is sent meanwhile. */
  @FunctionalInterface
  private interface Step<S> {
    Object on(S state, List<String> sent);
  }

  /** The conversion of a state to bytes, and back. */
  private record Form<S>(
      Supplier<S> fresh, Function<S, StoredForm.Writer> writer, StoredForm.Reader<S> reader) {
    byte[] write(S state) {
      return StoredForm.write(writer.apply(state));
    }

    S copy(S state) {
      return StoredForm.read(write(state), reader);
    }
  }

  private static final Form<LatchState> LATCHES =
      new Form<>(LatchState::new, state -> state::write, LatchState::read);
  private static final Form<QueueState> QUEUES =
      new Form<>(QueueState::new, state -> state::write, QueueState::read);
  private static final Form<LimitState.Cell> CELLS =
      new Form<>(LimitState.Cell::new, cell -> cell::write, LimitState.Cell::read);

  private final Set<String> reached = new TreeSet<>();

  @Test
  void latchesGoOn() {
    compare(LATCHES, Latches::new);
    assertThat(reached).contains("Boolean", "Long", "LatchReply", "sent OPEN");
  }

  @Test
  void queuesGoOn() {
    compare(QUEUES, Queues::new);
    assertThat(reached).contains("admitted", "refused", "Boolean", "sent TURN");
  }

  @Test
  void limitsGoOn() {
    compare(CELLS, Limits::new);
    assertThat(reached).contains("granted", "promised", "refused", "the clock went back");
  }

  @Test
  void throttlesGoOn() {
    compare(CELLS, Throttles::new);
    assertThat(reached).contains("limited", "not limited");
  }

  @Test
  void bytesThatWereSpoiltAreReadOrForeign() {
    spoil(LATCHES, Latches::new);
    spoil(QUEUES, Queues::new);
    spoil(CELLS, Limits::new);
  }

  /** One seed for all builds, and one that the failure names. */
  private static <S> void spoil(Form<S> form, Function<Random, Supplier<Step<S>>> histories) {
    for (long seed : new long[] {7, System.nanoTime()}) {
      Random random = new Random(seed);
      S state = form.fresh.get();
      Supplier<Step<S>> history = histories.apply(random);
      for (int i = 0; i < 1_000; i++) {
        outcome(history.get(), state, new ArrayList<>());
        byte[] stored = form.write(state);
        for (int k = random.nextInt(3); k >= 0; k--) {
          stored[random.nextInt(stored.length)] = (byte) random.nextInt();
        }
        byte[] found = Arrays.copyOf(stored, stored.length - Math.max(0, random.nextInt(9) - 6));
        try {
          assertThat(StoredForm.read(found, form.reader)).isNotNull();
        } catch (ForeignDataException e) {
          assertThat(e.getMessage()).as("seed %s", seed).startsWith("holds ");
        } catch (RuntimeException e) {
          throw new AssertionError("seed " + seed + " " + HexFormat.of().formatHex(found), e);
        }
      }
    }
  }

  private <S> void compare(Form<S> form, Function<Random, Supplier<Step<S>>> histories) {
    for (int seed = 0; seed < HISTORIES; seed++) {
      Supplier<Step<S>> history = histories.apply(new Random(seed));
      S original = form.fresh.get();
      S copy = form.fresh.get();
      for (int i = 0; i < STEPS; i++) {
        copy = form.copy(copy);
        Step<S> step = history.get();
        List<String> expectedSent = new ArrayList<>();
        List<String> sent = new ArrayList<>();
        Object expected = outcome(step, original, expectedSent);
        assertThat(outcome(step, copy, sent))
            .as("answer of step %s of history %s", i, seed)
            .isEqualTo(expected);
        assertThat(sent).as("sent in step %s of history %s", i, seed).isEqualTo(expectedSent);
        assertThat(form.write(copy)).isEqualTo(form.write(original));
        note(expected, sent);
      }
    }
  }

  private static <S> Object outcome(Step<S> step, S state, List<String> sent) {
    try {
      return step.on(state, sent);
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  private void note(Object answer, List<String> sent) {
    for (String each : sent) {
      reached.add("sent " + each.substring(0, each.indexOf(' ')));
    }
    if (answer instanceof GrantReply reply) {
      reached.add(reply.getClass().getSimpleName());
    } else if (answer instanceof QueueReply reply) {
      reached.add(reply.admitted() ? "admitted" : "refused");
    } else if (answer instanceof LimitReply reply) {
      reached.add(reply.granted() == 0 ? "refused" : reply.delay() > 0 ? "promised" : "granted");
      reached.add(reply.clockSteps() > 0 ? "the clock went back" : "the clock went on");
    } else if (answer instanceof ThrottleReply reply) {
      reached.add(reply.limited() > 0 ? "limited" : "not limited");
    } else if (answer instanceof String failure) {
      reached.add(
          failure.substring(
              failure.lastIndexOf('.', failure.indexOf(':')) + 1, failure.indexOf(':')));
    } else {
      reached.add(answer.getClass().getSimpleName());
    }
  }

  /** The common part of the histories of semaphores, read-write locks and latches. */
  private abstract static class Clients {
    final Random random;
    private final long[] numbers;
    long now = START;
    String client = "";
    long number;

    Clients(Random random) {
      this.random = random;
      this.numbers = new long[2 + random.nextInt(5)];
    }

    /** Another moment and another client, which repeats an earlier number or goes on. */
    void turn() {
      now +=
          switch (random.nextInt(12)) {
            case 0 -> -random.nextInt(2_000_000);
            case 1 -> HEARTBEAT_MICROS + random.nextInt(3) - 1;
            case 2 -> CLAIM_MICROS + random.nextInt(3) - 1;
            case 3 -> random.nextInt(10) == 0 ? RETENTION_MICROS + random.nextInt(3) - 1 : 0;
            case 4, 5, 6 -> random.nextInt(400_000);
            default -> random.nextInt(3);
          };
      int who = random.nextInt(numbers.length);
      client = "c" + who;
      if (numbers[who] == 0 || random.nextInt(3) == 0) {
        numbers[who]++;
      }
      number = random.nextInt(8) == 0 ? 1 + random.nextInt((int) numbers[who]) : numbers[who];
    }
  }

  private static final class Latches extends Clients implements Supplier<Step<LatchState>> {
    Latches(Random random) {
      super(random);
    }

    @Override
    public Step<LatchState> get() {
      turn();
      long at = now;
      String who = client;
      long mine = number;
      long amount = 1 + random.nextInt(4);
      long keep = 1_000_000L << random.nextInt(8);
      int dice = random.nextInt(100);
      if (dice < 25) {
        return (state, sent) -> state.trySet(at, who, mine, amount, keep);
      }
      if (dice < 60) {
        return (state, sent) ->
            state.countDown(at, who, mine, amount, waiter -> sent.add("OPEN " + waiter));
      }
      String waiter = dice < 95 ? who : "";
      return (state, sent) -> state.look(at, waiter);
    }
  }

  private static final class Queues implements Supplier<Step<QueueState>> {
    private final Random random;
    private final long interval;
    private final int places;
    private final List<QueueRequest> entered = new ArrayList<>();
    private long now = START;

    Queues(Random random) {
      this.random = random;
      this.interval = 1 + random.nextInt(1_000_000);
      this.places = random.nextInt(20);
    }

    @Override
    public Step<QueueState> get() {
      now +=
          switch (random.nextInt(8)) {
            case 0 -> -random.nextInt(2_000_000);
            case 1 -> 5 * interval;
            case 2, 3 -> random.nextInt((int) interval);
            default -> random.nextInt(2);
          };
      long at = now;
      int dice = random.nextInt(100);
      if (dice < 55 || entered.isEmpty()) {
        QueueRequest request =
            new QueueRequest(
                "l",
                "k",
                "c" + random.nextInt(3),
                entered.size() + 1,
                random.nextInt(3),
                interval,
                places,
                interval * (1 + random.nextInt(30)));
        entered.add(request);
        return (state, sent) -> state.enter(at, request);
      }
      int late = random.nextInt(Math.min(9, entered.size()));
      QueueRequest one = entered.get(entered.size() - 1 - late);
      return dice < 80
          ? (state, sent) -> state.advance(at, one, (c, t) -> sent.add("TURN " + c + " " + t))
          : (state, sent) -> state.leave(at, one, (c, t) -> sent.add("TURN " + c + " " + t));
    }
  }

  private static final class Limits implements Supplier<Step<LimitState.Cell>> {
    private final Random random;
    private final Limit limit;
    private final List<List<LimitRule>> versions = new ArrayList<>();
    private long now = START;

    Limits(Random random) {
      this.random = random;
      List<Limit.Algorithm> algorithms = LimitBoundsTest.algorithms().toList();
      this.limit = RandomLimits.limit(random, algorithms.get(random.nextInt(algorithms.size())));
      int first = random.nextInt(2);
      for (int version = first; version < first + 2; version++) {
        versions.add(LimitRule.of(List.of(limit), version, CarryOver.PROPORTIONAL, 0));
      }
    }

    @Override
    public Step<LimitState.Cell> get() {
      boolean back = random.nextInt(12) == 0;
      now += back ? -random.nextInt(2_000_000) : RandomLimits.gap(random, limit, now, 0);
      long at = now;
      LimitRequest request =
          new LimitRequest(
              LimitRequest.Verb.values()[Math.max(0, random.nextInt(8) - 5)],
              "l",
              "k",
              versions.get(random.nextInt(10) == 0 ? 1 : 0),
              1 + random.nextInt((int) Math.min(3, limit.capacity())),
              1,
              random.nextInt(3) == 0 ? 3_600_000_000L : 0,
              random.nextInt(1_000_000));
      return (cell, sent) -> LimitState.decide(at, request, new LimitState.Cell[] {cell});
    }
  }

  private static final class Throttles implements Supplier<Step<LimitState.Cell>> {
    private final Random random;
    private long now = START;

    Throttles(Random random) {
      this.random = random;
    }

    @Override
    public Step<LimitState.Cell> get() {
      now += random.nextInt(10) == 0 ? -random.nextInt(2_000_000) : random.nextInt(400_000);
      long at = now;
      ThrottleRequest request =
          ThrottleRequest.of(15, random.nextInt(9) == 0 ? 7 : 30, 10, random.nextInt(8) - 1);
      return (cell, sent) -> ThrottleState.decide(at, cell, request);
    }
  }

  @Test
  void whatIsNotOursIsRefused() {
    assertRefused(LATCHES, Latches::new);
    assertRefused(QUEUES, Queues::new);
    assertRefused(CELLS, Limits::new);
  }

  private static <S> void assertRefused(
      Form<S> form, Function<Random, Supplier<Step<S>>> histories) {
    S state = form.fresh.get();
    Supplier<Step<S>> history = histories.apply(new Random(7));
    for (int i = 0; i < STEPS; i++) {
      outcome(history.get(), state, new ArrayList<>());
    }
    byte[] stored = form.write(state);
    for (int length = 0; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertThatThrownBy(() -> StoredForm.read(cut, form.reader))
          .as("%s bytes of %s", length, stored.length)
          .isInstanceOf(ForeignDataException.class);
    }
    byte[] longer = Arrays.copyOf(stored, stored.length + 1);
    assertThatThrownBy(() -> StoredForm.read(longer, form.reader))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("1 bytes too many");
    byte[] newer = stored.clone();
    newer[0] = 9;
    assertThatThrownBy(() -> StoredForm.read(newer, form.reader))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("version 9");
  }

  @Test
  void listThatCannotBeIsRefused() {
    for (String hex :
        List.of("01" + "00".repeat(20) + "ffffffff", "01" + "00".repeat(8) + "7fffffff")) {
      byte[] foreign = HexFormat.of().parseHex(hex);
      assertThatThrownBy(() -> StoredForm.read(foreign, CELLS.reader))
          .isInstanceOf(ForeignDataException.class);
    }
  }

  /** What docs/stored-formats.md says, to the byte. */
  @Test
  void formsAreAsDocumented() {
    String start = " 0006651728988000 ";
    LatchState latch = new LatchState();
    latch.trySet(START, "a", 1, 3, 1_000_000);
    latch.look(START, "b");
    assertForm(
        LATCHES,
        latch,
        "01 0000000000000003" + start + "0000000000000000 00000000000f4240",
        "0006651728a7c240 000161 0000000000000001",
        "00000001 000161 0000000000000001" + start,
        "00000001 000162 0006651728c646c0");

    QueueState queue = new QueueState();
    for (int ticket = 1; ticket <= 2; ticket++) {
      queue.enter(START, new QueueRequest("l", "k", "a", ticket, 1, 1000, 9, 5000));
    }
    assertForm(
        QUEUES,
        queue,
        "01 00066517289883e8" + start,
        "00000001 00066517289883e8 000161 0000000000000002 00000000000003e8");

    LimitState.Cell cell = new LimitState.Cell();
    ThrottleState.decide(START, cell, ThrottleRequest.of(15, 30, 60, 1));
    String text = HexFormat.of().formatHex("1800000002000000".getBytes(US_ASCII));
    assertForm(CELLS, cell, "01 0006651728b70480 00000010", text);
  }

  private static <S> void assertForm(Form<S> form, S state, String... expected) {
    assertThat(HexFormat.of().formatHex(form.write(state)))
        .isEqualTo(String.join("", expected).replace(" ", ""));
  }
}
