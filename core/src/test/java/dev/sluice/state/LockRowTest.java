package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a lock is in a row of a table. */
class LockRowTest {
  private static final int HISTORIES = 200;
  private static final int STEPS = 300;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long[] TIMES = {
    1, 900, 200_000, LockProtocol.CLAIM_MICROS, LockProtocol.HEARTBEAT_MICROS, 31_000_000, -400_000
  };

  @Test
  void aStateThatGoesThroughARowAfterEveryStepDecidesLikeOneThatDoesNot() {
    List<String> kinds = new ArrayList<>();
    for (long seed = 1; seed <= HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      LockState whole = new LockState("n");
      LockState copied = new LockState("n");
      long now = EPOCH;
      for (int i = 0; i < STEPS; i++) {
        now += TIMES[random.nextInt(TIMES.length)];
        List<String> sent = new ArrayList<>();
        List<String> sentByCopy = new ArrayList<>();
        long choice = random.nextLong();
        Object expected = step(whole, now, choice, sent);
        Object actual = step(copied, now, choice, sentByCopy);
        assertThat(actual).as("seed %d, step %d", seed, i).isEqualTo(expected);
        assertThat(sentByCopy).as("seed %d, step %d", seed, i).isEqualTo(sent);
        kinds.add(expected.getClass().getSimpleName());
        LockRow row = copied.row();
        copied = new LockState("n");
        copied.restore(row);
      }
      assertThat(copied.inspect(now)).isEqualTo(whole.inspect(now));
    }
    assertThat(kinds)
        .contains("Granted", "Busy", "Queued", "Over", "Renewed", "Gone", "Boolean", "Optional");
  }

  private static Object step(LockState state, long now, long choice, List<String> sent) {
    SplittableRandom random = new SplittableRandom(choice);
    String client = "c" + random.nextInt(4);
    long attempt = 1 + random.nextInt(40);
    long ttl = random.nextBoolean() ? 40_000_000 : 500_000;
    LockState.Post post = (to, message) -> sent.add(to + message);
    return switch (random.nextInt(12)) {
      case 0 -> state.renew(now, client, attempt, ttl);
      case 1, 2 -> state.release(now, client, attempt, post);
      case 3 -> state.releaseAfter(now, client, attempt, ttl);
      case 4 -> state.forceRelease(now, 0, post);
      default ->
          state.acquire(
              now, new GrantRequest("n", client, attempt, ttl, 64, random.nextInt(4) > 0), post);
    };
  }

  @Test
  void aLockThatOneClientUsesNeedsNoMoreThanColumns() {
    LockState state = new LockState("n");
    assertThat(state.row()).isEqualTo(LockRow.EMPTY);
    for (int attempt = 1; attempt < 4; attempt++) {
      state.acquire(EPOCH, new GrantRequest("n", "c", attempt, 1_000_000, 1, true), (c, m) -> {});
      assertThat(state.row().grant()).isNotNull();
      state.release(EPOCH, "c", attempt, (c, m) -> {});
      assertThat(state.row().rest()).isNull();
    }
  }

  @Test
  void bytesOfAnotherFormAreRefused() {
    for (byte[] rest : new byte[][] {{2}, {}, {1, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 7}}) {
      assertThatThrownBy(
              () -> new LockState("seat").restore(new LockRow(1, 1, null, null, 0, rest)))
          .isInstanceOf(ForeignDataException.class)
          .hasMessageContaining("seat");
    }
  }
}
