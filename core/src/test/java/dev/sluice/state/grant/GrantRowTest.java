package dev.sluice.state.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.state.States;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A state that was written into a row and read goes on as if nothing had happened. */
class GrantRowTest {
  private static final int HISTORIES = 200;
  private static final int STEPS = 300;
  private static final int UNITS = 3;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long[] TIMES = {
    1, 900, 200_000, LockProtocol.CLAIM_MICROS, LockProtocol.HEARTBEAT_MICROS, 31_000_000, -400_000
  };

  private final Set<String> reached = new TreeSet<>();

  @ParameterizedTest
  @EnumSource(GrantKind.class)
  void stateThatGoesThroughARowAfterEveryStepDecidesLikeOneThatDoesNot(GrantKind kind) {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      GrantState whole = new GrantState("n", kind);
      GrantState copied = new GrantState("n", kind);
      long now = EPOCH;
      for (int i = 0; i < STEPS; i++) {
        now += TIMES[random.nextInt(TIMES.length)];
        StringBuilder sent = new StringBuilder();
        StringBuilder sentByCopy = new StringBuilder();
        long choice = random.nextLong();
        Object expected = step(whole, kind, now, choice, sent);
        Object actual = step(copied, kind, now, choice, sentByCopy);
        assertThat(actual).as("seed %d, step %d", seed, i).isEqualTo(expected);
        assertThat(sentByCopy).as("seed %d, step %d", seed, i).hasToString(sent.toString());
        reached.add(expected.getClass().getSimpleName());
        copied = GrantRow.of(copied).state("n", kind);
      }
      assertThat(copied.inspect(now)).isEqualTo(whole.inspect(now));
      assertThat(copied.forgettableAt()).isEqualTo(whole.forgettableAt());
    }
    assertThat(reached).contains("Granted", "Busy", "Queued", "Over", "Renewed", "Gone", "Boolean");
    assertThat(reached).contains(kind == GrantKind.LOCK ? "Optional" : "Integer");
    assertThat(reached.contains("String"))
        .as("another capacity was asked for")
        .isEqualTo(kind == GrantKind.PERMIT);
  }

  @Test
  void bytesThatWereSpoiltAreReadOrForeign() {
    for (long seed : new long[] {7, System.nanoTime()}) { // one for all builds, and a new one
      SplittableRandom random = new SplittableRandom(seed);
      GrantState state = new GrantState("n", GrantKind.PERMIT);
      long now = EPOCH;
      for (int i = 0; i < 3_000; i++) {
        now += TIMES[random.nextInt(3)];
        step(state, GrantKind.PERMIT, now, random.nextLong(), new StringBuilder());
        GrantRow row = GrantRow.of(state);
        byte[] rest = row.rest();
        if (rest == null) {
          continue;
        }
        for (int k = random.nextInt(3); k >= 0; k--) {
          rest[random.nextInt(rest.length)] = (byte) random.nextInt();
        }
        try {
          assertThat(row.state("n", GrantKind.PERMIT)).isNotNull();
        } catch (ForeignDataException e) {
          assertThat(e.getMessage()).as("seed %s", seed).startsWith("holds ");
        } catch (RuntimeException e) {
          throw new AssertionError("seed " + seed + " " + HexFormat.of().formatHex(rest), e);
        }
      }
    }
  }

  private static Object step(
      GrantState state, GrantKind kind, long now, long choice, StringBuilder sent) {
    SplittableRandom random = new SplittableRandom(choice);
    String client = "c" + random.nextInt(4);
    long attempt = 1 + random.nextInt(40);
    long ttl = random.nextBoolean() ? 40_000_000 : 500_000;
    States.Post<LockMessage> post = (to, message) -> sent.append(to).append(message);
    boolean lock = kind == GrantKind.LOCK;
    return switch (random.nextInt(12)) {
      case 0 -> state.renew(now, client, attempt, ttl);
      case 1, 2 -> state.release(now, client, attempt, lock ? 0 : random.nextInt(2), post);
      case 3 ->
          lock
              ? state.releaseAfter(now, client, attempt, ttl)
              : random.nextInt(5) == 0
                  ? state.resize(now, UNITS - 1 + random.nextInt(2), post)
                  : state.release(now, client, attempt, 0, post);
      case 4 ->
          lock ? state.forceRelease(now, 0, post) : state.release(now, client, attempt, 0, post);
      default -> {
        GrantRequest request =
            lock
                ? new GrantRequest("n", client, attempt, ttl, 64, random.nextInt(4) > 0)
                : units(client, attempt, ttl, random);
        try {
          yield state.acquire(now, request, post);
        } catch (WrongCapacityException e) {
          yield e.toString();
        }
      }
    };
  }

  private static GrantRequest units(
      String client, long attempt, long ttl, SplittableRandom random) {
    int least = 1 + random.nextInt(UNITS);
    return new GrantRequest(
        "n",
        client,
        attempt,
        ttl,
        UNITS,
        least,
        least + random.nextInt(UNITS - least + 1),
        random.nextInt(4) == 0,
        1 + random.nextInt(LockProtocol.MAX_BLOCK),
        random.nextInt(4) > 0);
  }

  @Test
  void lockThatOneClientUsesNeedsNoMoreThanColumns() {
    GrantState state = new GrantState("n", GrantKind.LOCK);
    for (int attempt = 1; attempt < 4; attempt++) {
      state.acquire(EPOCH, new GrantRequest("n", "c", attempt, 1_000_000, 1, true), (c, m) -> {});
      assertThat(GrantRow.of(state).grant()).isNotNull();
      state.release(EPOCH, "c", attempt, 0, (c, m) -> {});
      assertThat(GrantRow.of(state).rest()).isNull();
    }
  }

  /** What docs/stored-formats.md says, to the byte. */
  @Test
  void restIsAsDocumented() {
    GrantState state = new GrantState("n", GrantKind.PERMIT);
    long now = 1_800_000_000_000_000L;
    List<GrantRequest> requests =
        List.of(
            new GrantRequest("n", "a", 1, 5000, 3, 2, 2, false, 4, true),
            new GrantRequest("n", "e", 2, 5000, 3, 1, 1, false, 1, true),
            new GrantRequest("n", "b", 7, 6000, 3, 2, 3, false, 2, true),
            new GrantRequest("n", "c", 8, 6000, 3, 3, 3, true, 1, true));
    requests.forEach(request -> state.acquire(now, request, (to, message) -> {}));
    state.release(now, "d", 9, 0, (to, message) -> {});
    state.release(now, "f", 3, 0, (to, message) -> {});
    GrantRow row = GrantRow.of(state);
    assertThat(row.grant())
        .isEqualTo(new GrantRow.Held("a", 1, 2, now, 4, 5000, now, now + 5000, false, true));
    assertThat(row.over()).isEqualTo(new Tombstone("f", 3, now));
    assertThat(row.waiting()).isEqualTo(2);
    assertThat(row.forgetAt()).isEqualTo(now + 4 + LockProtocol.RETENTION_MICROS + 1);
    String at = " 0006651728988000 ";
    assertThat(HexFormat.of().formatHex(row.rest()))
        .isEqualTo(
            String.join(
                    "",
                    "01",
                    "00000001 000165 0000000000000002 00000001 0006651728988004 0001",
                    "0000000000001388" + at + "0006651728989388 00 01",
                    "00000001 000164 0000000000000009" + at,
                    "00000001 000163 0000000000000008 0000000000001770 00000003 00000003 0001",
                    "0006651728af6360",
                    "00000001 000162 0000000000000007 0000000000001770 00000002 00000003 0002",
                    "0006651728af6360")
                .replace(" ", ""));
  }

  @Test
  void bytesOfAnotherFormAreRefused() {
    for (byte[] rest :
        new byte[][] {{2}, {}, {1, 0, 0}, {1, -1, -1, -1, -1}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 7}}) {
      assertThatThrownBy(
              () -> new GrantRow(1, 1, 1, null, null, 0, 0, rest).state("n", GrantKind.LOCK))
          .isInstanceOf(ForeignDataException.class)
          .hasMessageStartingWith("holds ");
    }
  }
}
