package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.CLAIM_MICROS;
import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_BLOCK;
import static dev.sluice.spi.LockProtocol.MAX_LEAD_MICROS;
import static dev.sluice.spi.LockProtocol.MAX_TOKEN;
import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.lock.LockInfo;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantReply.Busy;
import dev.sluice.spi.GrantReply.Granted;
import dev.sluice.spi.GrantReply.Over;
import dev.sluice.spi.GrantReply.Queued;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The borders of each decision. */
class LockStateTest {
  private static final long NOW = 1_800_000_000_000_000L;
  private static final long TTL = 5_000_000;

  private final GrantState state = new GrantState("seat", GrantKind.LOCK);
  private final List<String> sent = new ArrayList<>();

  private GrantReply ask(long now, String client, long attempt, int block, boolean queue) {
    return state.acquire(
        now, new GrantRequest("seat", client, attempt, TTL, block, queue), this::note);
  }

  private GrantReply ask(long now, String client, long attempt) {
    return ask(now, client, attempt, 1, true);
  }

  private boolean release(long now, String client, long attempt) {
    return state.release(now, client, attempt, 0, this::note);
  }

  private LockInfo look(long now) {
    return state.inspect(now).asLock();
  }

  private void note(String client, LockMessage message) {
    sent.add(message.kind() + " " + client);
  }

  @Test
  void leaseLastsUntilItsLastMicrosecond() {
    assertThat(ask(NOW, "a", 1)).isEqualTo(new Granted(NOW, 1, TTL, 0));
    assertThat(ask(NOW + TTL - 1, "b", 1, 1, false)).isEqualTo(new Busy(1));
    assertThat(state.renew(NOW + TTL - 1, "a", 1, TTL)).isEqualTo(new RenewReply.Renewed(TTL, 0));
    long end = NOW + TTL - 1 + TTL;
    assertThat(state.renew(end, "a", 1, TTL)).isEqualTo(new RenewReply.Gone());
    assertThat(ask(end, "b", 1, 1, false)).isEqualTo(new Granted(end, 1, TTL, 0));
  }

  @Test
  void releaseSaysWhetherItFreedALiveGrant() {
    ask(NOW, "a", 1);
    assertThat(release(NOW + TTL - 1, "a", 1)).isTrue();
    assertThat(release(NOW + TTL - 1, "a", 1)).isFalse();
    ask(NOW + TTL, "a", 2);
    assertThat(release(NOW + 2 * TTL, "a", 2)).isFalse();
    assertThat(release(NOW + 2 * TTL, "stranger", 7)).isFalse();
  }

  @Test
  void renewalNeverShortens() {
    ask(NOW, "a", 1);
    assertThat(state.renew(NOW + 1, "a", 1, 10)).isEqualTo(new RenewReply.Renewed(TTL - 1, 0));
    assertThat(state.renew(NOW + 1, "a", 2, TTL)).isEqualTo(new RenewReply.Gone());
    assertThat(state.renew(NOW + 1, "b", 1, TTL)).isEqualTo(new RenewReply.Gone());
  }

  @Test
  void repeatedAcquireIsTheSameGrant() {
    assertThat(ask(NOW, "a", 1, 8, true)).isEqualTo(new Granted(NOW, 8, TTL, 0));
    assertThat(ask(NOW + 5, "a", 1, 8, true)).isEqualTo(new Granted(NOW, 8, TTL - 5, 0));
    assertThat(look(NOW + 5).lastToken()).isEqualTo(NOW + 7);
  }

  @Test
  void laterAttemptOfTheSameClientReplacesTheEarlier() {
    ask(NOW, "a", 1);
    assertThat(ask(NOW, "a", 2)).isEqualTo(new Granted(NOW + 1, 1, TTL, 0));
    assertThat(ask(NOW, "a", 1)).isEqualTo(new Over());
    assertThat(release(NOW, "a", 1)).isFalse();
    assertThat(release(NOW, "a", 2)).isTrue();
  }

  @Test
  void laterAttemptLetsTheQueueGoFirst() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1);
    sent.clear();
    assertThat(ask(NOW, "a", 2)).isInstanceOf(Queued.class);
    assertThat(sent).startsWith("GRANTED b");
    assertThat(ask(NOW, "b", 1)).isInstanceOf(Granted.class);
  }

  @Test
  void tombstoneLastsForTheRetention() {
    release(NOW, "a", 3);
    assertThat(ask(NOW + RETENTION_MICROS - 1, "a", 3)).isEqualTo(new Over());
    assertThat(ask(NOW + RETENTION_MICROS - 1, "a", 4)).isInstanceOf(Granted.class);
    release(NOW + RETENTION_MICROS - 1, "a", 4);

    GrantState other = new GrantState("seat", GrantKind.LOCK);
    other.release(NOW, "a", 3, 0, this::note);
    assertThat(
            other.acquire(
                NOW + RETENTION_MICROS,
                new GrantRequest("seat", "a", 3, TTL, 1, false),
                this::note))
        .isInstanceOf(Granted.class);
  }

  @Test
  void clientThatReleasesAgainAndAgainDropsTheTombstonesOfOthers() {
    GrantState state = new GrantState("seat", GrantKind.LOCK);
    state.release(NOW, "gone", 1, 0, this::note);
    for (int i = 0; i <= 4; i++) {
      state.release(NOW + i * RETENTION_MICROS / 2, "stays", i + 1, 0, this::note);
    }
    assertThat(state.over.size()).isEqualTo(1);
    assertThat(state.over.newest())
        .isEqualTo(new Tombstone("stays", 5, NOW + 2 * RETENTION_MICROS));
  }

  @Test
  void earlierReleaseDoesNotLowerTheTombstone() {
    release(NOW, "a", 5);
    release(NOW + 1, "a", 2);
    assertThat(ask(NOW + 2, "a", 5)).isEqualTo(new Over());
    assertThat(ask(NOW + 2, "a", 6)).isInstanceOf(Granted.class);
  }

  @Test
  void backwardClockDoesNotLengthenALease() {
    ask(NOW, "a", 1);
    long hourAgo = NOW - 3_600_000_000L;
    assertThat(ask(hourAgo, "b", 1, 1, false)).isEqualTo(new Busy(TTL));
    assertThat(ask(hourAgo + TTL, "b", 2, 1, false)).isEqualTo(new Granted(NOW + 1, 1, TTL, 0));
  }

  @Test
  void backwardClockDoesNotKeepADeadTicketAlive() {
    ask(NOW, "a", 1);
    ask(NOW, "dead", 1);
    long hourAgo = NOW - 3_600_000_000L;
    ask(hourAgo, "b", 1);
    assertThat(release(hourAgo, "a", 1)).isTrue();
    assertThat(ask(hourAgo, "b", 1)).isInstanceOf(Granted.class);
  }

  @Test
  void waiterThatABackwardClockLeftBehindIsNotShown() {
    ask(NOW, "a", 1);
    ask(NOW, "dead", 1);
    assertThat(look(NOW - 1).waiters()).isEmpty();
    assertThat(look(NOW).waiters()).containsExactly(new LockInfo.Waiter("dead", 1));

    long hourAgo = NOW - 3_600_000_000L;
    ask(hourAgo, "b", 1);
    assertThat(look(hourAgo).waiters()).containsExactly(new LockInfo.Waiter("b", 1));
  }

  @Test
  void remainingTimeIsShownNoLongerThanTheLeaseAfterABackwardClock() {
    ask(NOW, "a", 1);
    long hourAgo = NOW - 3_600_000_000L;
    LockInfo.Holder shown = look(hourAgo).holder().orElseThrow();
    assertThat(shown.remaining()).isEqualTo(Duration.of(TTL, ChronoUnit.MICROS));
    assertThat(shown.attempt()).isEqualTo(1);
  }

  @Test
  void backwardClockClampsAReservation() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1);
    release(NOW, "a", 1); // reserved for b
    long hourAgo = NOW - 3_600_000_000L;
    assertThat(ask(hourAgo, "c", 1, 1, false)).isEqualTo(new Busy(CLAIM_MICROS));
    assertThat(ask(hourAgo + CLAIM_MICROS, "c", 2, 1, false)).isInstanceOf(Granted.class);
  }

  @Test
  void blocksAreGivenAgainOnceABackwardClockHasCaughtUp() {
    ask(NOW, "a", 1);
    long hourAgo = NOW - 3_600_000_000L;
    assertThat(((Granted) ask(hourAgo, "a", 2, MAX_BLOCK, true)).block()).isEqualTo(1);
    assertThat(((Granted) ask(NOW, "a", 3, MAX_BLOCK, true)).block()).isEqualTo(MAX_BLOCK);
  }

  @Test
  void blockShrinksSoThatTheLeadStaysBounded() {
    long reserved = 0;
    for (int attempt = 1; reserved < MAX_LEAD_MICROS; attempt++) {
      Granted granted = (Granted) ask(NOW, "a", attempt, MAX_BLOCK, true);
      reserved += granted.block();
      assertThat(granted.block())
          .isEqualTo((int) Math.min(MAX_BLOCK, MAX_LEAD_MICROS - reserved + granted.block()));
    }
    assertThat(look(NOW).lastToken()).isEqualTo(NOW + MAX_LEAD_MICROS - 1);
    Granted beyond = (Granted) ask(NOW, "a", 1000, MAX_BLOCK, true);
    assertThat(beyond.block()).isEqualTo(1); // a single token is always given
    assertThat(beyond.token()).isEqualTo(NOW + MAX_LEAD_MICROS);
  }

  @Test
  void lastTokenIsGivenAndNoneAfterIt() {
    assertThat(ask(MAX_TOKEN - 1, "a", 1, 8, true))
        .isEqualTo(new Granted(MAX_TOKEN - 1, 2, TTL, 0));
    assertThatThrownBy(() -> ask(MAX_TOKEN - 1, "a", 2))
        .isInstanceOf(ForeignDataException.class)
        .hasMessage(
            "'seat' has no fencing token left: the last one is 9007199254740991; use another name");
    assertThatThrownBy(() -> ask(MAX_TOKEN + 5, "b", 1)).isInstanceOf(ForeignDataException.class);
  }

  @Test
  void releaseHandsOverToTheFirstLiveTicket() {
    ask(NOW, "a", 1);
    ask(NOW, "dead", 1);
    ask(NOW + 1, "b", 1);
    sent.clear();
    long later = NOW + HEARTBEAT_MICROS;
    assertThat(release(later, "a", 1)).isTrue();

    assertThat(sent).containsExactly("GRANTED b");
    LockInfo info = look(later);
    assertThat(info.holder().orElseThrow().client()).isEqualTo("b");
    assertThat(info.waiters()).isEmpty();
    assertThat(ask(later, "b", 1)).isEqualTo(new Granted(info.lastToken(), 1, TTL, 0));
  }

  @Test
  void ticketIsAliveUntilItsLastMicrosecond() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1);
    release(NOW + HEARTBEAT_MICROS - 1, "a", 1);
    assertThat(sent).contains("GRANTED b");
  }

  @Test
  void reservationThatIsNotTakenUpLapses() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1);
    ask(NOW, "c", 1);
    release(NOW, "a", 1);
    assertThat(ask(NOW + CLAIM_MICROS - 1, "c", 1)).isEqualTo(new Queued(0, 1));
    assertThat(ask(NOW + CLAIM_MICROS, "c", 1)).isInstanceOf(Granted.class);
    assertThat(ask(NOW + CLAIM_MICROS, "b", 1)).isEqualTo(new Queued(0, TTL));
  }

  @Test
  void pollOfALaterTicketSweepsForTheFirst() {
    ask(NOW, "a", 1);
    long end = NOW + TTL;
    ask(end - 2, "b", 1);
    ask(end - 1, "c", 1);
    sent.clear();
    assertThat(ask(end, "c", 1)).isEqualTo(new Queued(0, CLAIM_MICROS));
    assertThat(sent).containsExactly("GRANTED b");
  }

  @Test
  void pollKeepsItsPlace() {
    ask(NOW, "a", 1);
    assertThat(ask(NOW, "b", 1)).isEqualTo(new Queued(0, TTL));
    assertThat(ask(NOW, "c", 1)).isEqualTo(new Queued(1, TTL));
    assertThat(ask(NOW + 1, "b", 1)).isEqualTo(new Queued(0, TTL - 1));
    assertThat(release(NOW + 1, "b", 1)).isFalse();
    assertThat(ask(NOW + 1, "c", 1)).isEqualTo(new Queued(0, TTL - 1));
  }

  @Test
  void holderIsToldOfTheFirstWhoWants() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1, 1, false);
    ask(NOW, "c", 1, 1, false);
    assertThat(sent).containsExactly("WANTED a");
    ask(NOW, "b", 2);
    ask(NOW, "b", 2);
    ask(NOW, "c", 2);
    assertThat(sent).containsExactly("WANTED a", "WANTED a", "WANTED a"); // each poll of the first
  }

  @Test
  void holderIsToldAgainOnceItHasRenewed() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1, 1, false);
    state.renew(NOW + 1, "a", 1, TTL);
    ask(NOW + 1, "c", 1, 1, false);
    ask(NOW + 1, "b", 2, 1, false);
    assertThat(sent).containsExactly("WANTED a", "WANTED a");
  }

  @Test
  void isForgottenOnceTheClockHasPassedTheLastTokenByTheRetention() {
    ask(NOW, "a", 1, MAX_BLOCK, true);
    release(NOW, "a", 1);
    long lastToken = look(NOW).lastToken();
    assertThat(state.isForgettable(lastToken + RETENTION_MICROS)).isFalse();
    assertThat(state.isForgettable(lastToken + RETENTION_MICROS + 1)).isTrue();
  }

  @Test
  void isNotForgottenWhileItIsHeld() {
    state.acquire(NOW, new GrantRequest("seat", "a", 1, 4 * RETENTION_MICROS, 1, true), this::note);
    assertThat(state.isForgettable(NOW + 2 * RETENTION_MICROS)).isFalse();
    assertThat(state.isForgettable(NOW + 4 * RETENTION_MICROS)).isTrue();
  }

  @Test
  void lookingChangesNothing() {
    ask(NOW, "a", 1);
    ask(NOW, "b", 1);
    assertThat(look(NOW + TTL - 1).holder()).isPresent();
    LockInfo later = look(NOW + TTL);
    assertThat(later.holder()).isEmpty();
    assertThat(later.waiters()).isEmpty();
    assertThat(look(NOW).holder()).isPresent();
    assertThat(look(NOW).waiters()).containsExactly(new LockInfo.Waiter("b", 1));
  }
}
