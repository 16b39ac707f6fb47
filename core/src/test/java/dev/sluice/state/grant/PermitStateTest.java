package dev.sluice.state.grant;

import static dev.sluice.lock.PermitInfo.READ_WRITE_UNITS;
import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_LEAD_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_TOKEN;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantReply.Busy;
import dev.sluice.spi.GrantReply.Granted;
import dev.sluice.spi.GrantReply.Over;
import dev.sluice.spi.GrantReply.Queued;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The borders of each decision. */
class PermitStateTest {
  private static final long NOW = 1_800_000_000_000_000L;
  private static final long TTL = 5_000_000;

  private final GrantState state = new GrantState("seats", GrantKind.PERMIT);
  private final List<String> sent = new ArrayList<>();

  private GrantReply ask(
      long now, String client, long attempt, int least, int most, boolean first, boolean queue) {
    return state.acquire(
        now,
        new GrantRequest("seats", client, attempt, TTL, 3, least, most, first, 1, queue),
        this::note);
  }

  private GrantReply ask(long now, String client, long attempt, int units) {
    return ask(now, client, attempt, units, units, false, true);
  }

  private boolean release(long now, String client, long attempt, int keep) {
    return state.release(now, client, attempt, keep, this::note);
  }

  private void note(String client, LockMessage message) {
    sent.add(message.kind() + " " + client);
  }

  private static GrantReply granted(long token, int units, long remaining, int waiting) {
    return new Granted(token, 1, remaining, waiting, units);
  }

  @Test
  void unitsAreGivenUntilTheyAreOut() {
    assertThat(ask(NOW, "a", 1, 2)).isEqualTo(granted(NOW, 2, TTL, 0));
    assertThat(ask(NOW, "b", 1, 2, 2, false, false)).isEqualTo(new Busy(TTL));
    assertThat(ask(NOW, "b", 2, 1)).isEqualTo(granted(NOW + 1, 1, TTL, 0));
    assertThat(ask(NOW + 7, "c", 1, 1)).isEqualTo(new Queued(0, TTL - 7));
    assertThat(sent).containsExactly("WANTED a", "WANTED a", "WANTED b");
  }

  @Test
  void oneClientHasSeveralGrantsAndEndsEachByItself() {
    ask(NOW, "a", 1, 1);
    ask(NOW, "a", 2, 1);
    assertThat(release(NOW, "a", 2, 0)).isTrue();
    assertThat(release(NOW, "a", 2, 0)).isFalse();
    assertThat(state.renew(NOW, "a", 1, TTL)).isEqualTo(new RenewReply.Renewed(TTL, 0));
    assertThat(state.renew(NOW, "a", 2, TTL)).isEqualTo(new RenewReply.Gone());
    assertThat(ask(NOW, "a", 1, 1)).isEqualTo(granted(NOW, 1, TTL, 0)); // a repetition
    assertThat(ask(NOW, "a", 2, 1)).isEqualTo(new Over());
  }

  @Test
  void leaseLastsUntilItsLastMicrosecond() {
    ask(NOW, "a", 1, 3);
    assertThat(ask(NOW + TTL - 1, "b", 1, 1, 1, false, false)).isEqualTo(new Busy(1));
    assertThat(state.renew(NOW + TTL, "a", 1, TTL)).isEqualTo(new RenewReply.Gone());
    assertThat(ask(NOW + TTL, "b", 1, 1)).isEqualTo(granted(NOW + TTL, 1, TTL, 0));
  }

  @Test
  void partOfAGrantGoesBackAndNeverReturns() {
    ask(NOW, "a", 1, 3);
    assertThat(release(NOW, "a", 1, 1)).isTrue();
    assertThat(state.inspect(NOW).available()).isEqualTo(2);
    assertThat(release(NOW, "a", 1, 2)).isTrue(); // arrives late
    assertThat(state.inspect(NOW).available()).isEqualTo(2);
    assertThat(release(NOW, "a", 7, 1)).isFalse();
    assertThat(ask(NOW, "a", 7, 1)).isEqualTo(granted(NOW + 1, 1, TTL, 0)); // 7 was not ended
  }

  @Test
  void moreThanTheLeastOnlyWhileNobodyWaits() {
    assertThat(ask(NOW, "a", 1, 1, 9, false, true).units()).isEqualTo(3);
    ask(NOW, "b", 1, 1, 3, false, true);
    ask(NOW, "c", 1, 1, 3, false, true);
    release(NOW, "a", 1, 0);
    assertThat(ask(NOW, "b", 1, 1, 3, false, true).units()).isEqualTo(1);
    assertThat(ask(NOW, "c", 1, 1, 3, false, true).units()).isEqualTo(2);
    assertThat(sent).endsWith("GRANTED b", "GRANTED c");
  }

  @Test
  void smallTicketDoesNotPassALargeOne() {
    ask(NOW, "a", 1, 2);
    assertThat(ask(NOW, "b", 1, 3)).isInstanceOf(Queued.class);
    assertThat(ask(NOW, "c", 1, 1)).isEqualTo(new Queued(1, TTL));
    assertThat(ask(NOW, "d", 1, 1, 1, false, false)).isInstanceOf(Busy.class);
    long dead = NOW + HEARTBEAT_MICROS;
    assertThat(ask(dead, "c", 1, 1)).isEqualTo(granted(dead, 1, TTL, 0)); // b died
  }

  @Test
  void firstTicketsGoBeforeAllOthersAndInOrder() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "reader", 1, 1);
    assertThat(ask(NOW, "w1", 1, 3, 3, true, true)).isEqualTo(new Queued(0, TTL));
    assertThat(ask(NOW, "w2", 1, 3, 3, true, true)).isEqualTo(new Queued(1, TTL));
    assertThat(ask(NOW, "reader", 1, 1)).isEqualTo(new Queued(2, TTL));
    release(NOW, "a", 1, 0);
    assertThat(ask(NOW, "w1", 1, 3, 3, true, true).units()).isEqualTo(3);
    release(NOW, "w1", 1, 0);
    release(NOW, "w2", 1, 0);
    assertThat(ask(NOW, "reader", 1, 1).units()).isEqualTo(1);
  }

  @Test
  void newcomerThatIsFirstPassesThoseWhoAreNot() {
    ask(NOW, "a", 1, 1);
    ask(NOW, "b", 1, 3); // waits for all
    assertThat(ask(NOW, "w", 1, 1, 1, true, false).units()).isEqualTo(1);
    assertThat(ask(NOW, "r", 1, 1, 1, false, false)).isInstanceOf(Busy.class);
  }

  @Test
  void claimLeaseIsShortUntilItIsTakenUp() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 1);
    release(NOW, "a", 1, 0);
    assertThat(ask(NOW + CLAIM_MICROS - 1, "b", 1, 1)).isEqualTo(granted(NOW + 1, 1, TTL, 0));

    ask(NOW + CLAIM_MICROS, "c", 1, 3);
    release(NOW + CLAIM_MICROS, "b", 1, 0);
    long late = NOW + 2 * CLAIM_MICROS;
    assertThat(ask(late, "d", 1, 1)).isInstanceOf(Granted.class); // c did not come
  }

  @Test
  void laterAttemptLeavesTheQueueForItsOwnPlace() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 1);
    ask(NOW, "c", 1, 1);
    assertThat(ask(NOW, "b", 2, 1)).isEqualTo(new Queued(1, TTL));
    assertThat(ask(NOW, "b", 1, 1)).isEqualTo(new Over());
    assertThat(release(NOW, "b", 1, 0)).isFalse();
    assertThat(state.inspect(NOW).waiters())
        .containsExactly(new PermitInfo.Waiter("c", 1, 1), new PermitInfo.Waiter("b", 2, 1));
  }

  @Test
  void capacityIsSettledByTheFirst() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 1);
    assertThatThrownBy(
            () ->
                state.acquire(
                    NOW,
                    new GrantRequest("seats", "b", 1, TTL, 4, 1, 1, false, 1, true),
                    this::note))
        .isInstanceOf(WrongCapacityException.class)
        .hasMessage(
            "'seats' is a semaphore of 3 permits, not a semaphore of 4 permits;"
                + " use that number, or call resize");
    assertThat(state.inspect(NOW).waiters()).isEmpty();
    assertThat(state.resize(NOW, 5, this::note)).isEqualTo(3);
    assertThat(state.inspect(NOW).available()).isEqualTo(2);
    assertThat(new GrantState("other", GrantKind.PERMIT).resize(NOW, 5, this::note)).isZero();
    assertThat(new WrongCapacityException("'x'", 1, READ_WRITE_UNITS))
        .hasMessage("'x' is a semaphore of 1 permit, not a read-write lock; use another name");
  }

  @Test
  void resizeServesTheQueueAndNeverTakesBack() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 2);
    state.resize(NOW, 5, this::note);
    assertThat(sent).endsWith("GRANTED b");
    state.resize(NOW, 1, this::note);
    assertThat(state.inspect(NOW).holders()).hasSize(2);
    assertThat(state.inspect(NOW).available()).isZero();
    release(NOW, "a", 1, 0);
    assertThat(state.inspect(NOW).available()).isZero();
  }

  @Test
  void clockThatStepsBackLengthensNothing() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 1);
    long back = NOW - 100 * TTL;
    assertThat(state.inspect(back).holders().get(0).remaining().toNanos()).isEqualTo(TTL * 1000);
    assertThat(ask(back, "c", 1, 1, 1, false, false)).isEqualTo(new Busy(TTL));
    GrantReply later = ask(back + TTL, "c", 2, 1, 1, false, true);
    assertThat(later).isEqualTo(granted(NOW + 1, 1, TTL, 0)); // b's heartbeat lies far ahead
  }

  @Test
  void blocksKeepTheirBoundedLead() {
    GrantRequest large = new GrantRequest("seats", "a", 1, TTL, 3, 1, 1, false, 1024, true);
    state.acquire(NOW, large, this::note);
    assertThat(state.inspect(NOW).lastToken()).isEqualTo(NOW + 1023);
    for (int i = 2; i < 300; i++) {
      release(NOW, "a", i - 1, 0);
      state.acquire(
          NOW, new GrantRequest("seats", "a", i, TTL, 3, 1, 1, false, 1024, true), this::note);
    }
    assertThat(state.inspect(NOW).lastToken()).isLessThan(NOW + MAX_LEAD_MICROS + 300);
  }

  @Test
  void tokensEndAndAreNotRepeated() {
    ask(MAX_TOKEN, "a", 1, 1);
    assertThatThrownBy(() -> ask(MAX_TOKEN, "b", 1, 1))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("'seats' has no fencing token left");
    assertThat(state.inspect(MAX_TOKEN).available()).isEqualTo(2);
  }

  @Test
  void stateIsForgottenOnceTheClockCarriesIt() {
    ask(NOW, "a", 1, 1);
    release(NOW + 1, "a", 1, 0);
    assertThat(state.isForgettable(NOW + 1 + RETENTION_MICROS)).isFalse();
    assertThat(state.isForgettable(NOW + 2 + RETENTION_MICROS)).isTrue();
  }

  @Test
  void renewalNeverShortensAndForgetsThatItWasWanted() {
    ask(NOW, "a", 1, 3);
    ask(NOW, "b", 1, 1, 1, false, false);
    ask(NOW, "b", 2, 1, 1, false, false);
    assertThat(sent).containsExactly("WANTED a");
    assertThat(state.renew(NOW + 1, "a", 1, 10)).isEqualTo(new RenewReply.Renewed(TTL - 1, 0));
    ask(NOW + 1, "b", 3, 1, 1, false, false);
    assertThat(sent).containsExactly("WANTED a", "WANTED a");
  }
}
