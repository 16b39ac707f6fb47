package dev.sluice.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.LeaseState;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.verification.history.Event.Held;
import dev.sluice.verification.history.Event.Kind;
import dev.sluice.verification.history.Event.Verb;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each rule on the shortest history that breaks it, and on one that breaks none. */
class HistoryCheckerTest {
  private static final long MILLI = 1_000_000;
  private static final Held FIRST = new Held("a", 1, 100, 109, 1000 * MILLI);
  private static final Held SECOND = new Held("b", 1, 200, 209, 2000 * MILLI);

  @Test
  void quietHistoryBreaksNothing() {
    assertHolds(
        invoked(0, 1, "a", 0),
        decided(1, "a", FIRST),
        acquired(2, 1, "a", 100),
        new Event.Deadline(2 * MILLI, 1, 900 * MILLI),
        new Event.ReleaseCalled(3 * MILLI, 1),
        new Event.Released(4 * MILLI, 1, true),
        fault(5, Kind.SETTLED, ""),
        new Event.Rest(5 * MILLI, "a", 0),
        new Event.Left(5 * MILLI, "seat", null, List.of(), false));
  }

  @Test
  void twoWhoHoldAtOnce() {
    assertBreaks(
        "L1",
        decided(1, "a", FIRST),
        acquired(2, 1, "a", 100),
        new Event.Deadline(2 * MILLI, 1, 900 * MILLI),
        decided(3, "b", SECOND),
        acquired(4, 2, "b", 200),
        new Event.Deadline(4 * MILLI, 2, 1900 * MILLI));
  }

  @Test
  void tokenThatGoesBack() {
    assertBreaks("L2", decided(1, "b", SECOND), decided(2, "a", FIRST));
  }

  @Test
  void tokenHandedOutTwice() {
    assertBreaks("L2", decided(1, "a", FIRST), acquired(2, 1, "a", 100), acquired(3, 2, "a", 100));
  }

  @Test
  void turnWithALowerTokenThanOneThatWasOverBefore() {
    assertBreaks(
        "L2",
        decided(1, "a", FIRST),
        decided(2, "b", SECOND),
        acquired(3, 1, "b", 200),
        invoked(4, 2, "a", 0),
        acquired(5, 2, "a", 101));
  }

  @Test
  void guardThatLetsAnOlderGrantIn() {
    assertBreaks(
        "L2",
        decided(1, "a", FIRST),
        decided(2, "b", SECOND),
        new Event.Written(3 * MILLI, 2, "seat", 200, true),
        new Event.Written(4 * MILLI, 1, "seat", 100, true));
  }

  @Test
  void releaseAfterTheDeadlineThatSaysOurs() {
    assertBreaks(
        "L3",
        decided(1, "a", FIRST),
        acquired(2, 1, "a", 100),
        new Event.Deadline(2 * MILLI, 1, 10 * MILLI),
        new Event.ReleaseCalled(11 * MILLI, 1),
        new Event.Released(12 * MILLI, 1, true));
  }

  @Test
  void renewalSentAfterTheRelease() {
    assertBreaks(
        "L3",
        new Event.Sent(1 * MILLI, "a", Verb.RELEASE, "seat", 1),
        new Event.Sent(2 * MILLI, "a", Verb.RENEW, "seat", 1));
  }

  @Test
  void renewalThatShortensALease() {
    assertBreaks("L3", decided(1, "a", FIRST), renewed(2, new Held("a", 1, 100, 109, 500 * MILLI)));
  }

  @Test
  void renewalThatShortensALeaseAfterAHandOff() {
    assertBreaks(
        "L3",
        handedOff(1, FIRST),
        decided(2, "a", FIRST),
        renewed(3, new Held("a", 1, 100, 109, 500 * MILLI)));
  }

  @Test
  void lateRenewalMakesALeaseOfAHandOff() {
    assertHolds(handedOff(1, FIRST), renewed(2, new Held("a", 1, 100, 109, 500 * MILLI)));
  }

  @Test
  void leaseOfALateRenewalIsKeptAsLongAsTheHandOff() {
    Event renewed = renewed(2, new Held("a", 1, 100, 109, 500 * MILLI));
    assertHolds(handedOff(1, FIRST), renewed, releasedByAnother(510 * MILLI));
    assertBreaks("L3", handedOff(1, FIRST), renewed, releasedByAnother(1010 * MILLI));
  }

  @Test
  void releaseOfAnotherClientThatLengthensALease() {
    assertBreaks("L3", decided(1, "a", FIRST), releasedByAnother(1010 * MILLI));
  }

  /** A release by another client, after which the grant of "a" ends then. */
  private static Event releasedByAnother(long until) {
    return handedOff(3, new Held("a", 1, 100, 109, until), List.of());
  }

  @Test
  void lateRenewalOfAClosedClientMakesALeaseOfAHandOffWithoutAMessage() {
    assertHolds(
        handedOff(1, FIRST, List.of()), renewed(2, new Held("a", 1, 100, 109, 500 * MILLI)));
  }

  @Test
  void leaseThatOutlivesTheEntry() {
    assertBreaks(
        "L4",
        decided(1, "a", FIRST),
        acquired(2, 1, "a", 100),
        new Event.Deadline(2 * MILLI, 1, 1001 * MILLI));
  }

  @Test
  void lossToldTwiceLateOrNever() {
    Event told = new Event.Told(900 * MILLI, 1, LeaseState.LOST);
    assertBreaks("L5", acquiredUntil(900), acquired(), deadline(900), told, told);
    assertBreaks(
        "L5",
        acquiredUntil(900),
        acquired(),
        deadline(900),
        new Event.Told(960 * MILLI, 1, LeaseState.LOST));
    assertBreaks(
        "L5", acquiredUntil(900), acquired(), deadline(900), fault(9000, Kind.SETTLED, ""));
  }

  @Test
  void leaseThatComesBack() {
    assertBreaks(
        "L5",
        acquiredUntil(900),
        acquired(),
        deadline(100),
        new Event.Deadline(200 * MILLI, 1, 800 * MILLI));
  }

  @Test
  void waiterThatIsNeverServed() {
    assertBreaks(
        "L6", invoked(0, 1, "a", 10_000), fault(1, Kind.HEALED, ""), fault(2, Kind.SETTLED, ""));
    assertBreaks(
        "L6",
        invoked(0, 1, "a", 60_000),
        fault(1, Kind.HEALED, ""),
        decided(20_000, "a", new Held("a", 1, 100, 100, 30_000 * MILLI)),
        acquired(20_001, 1, "a", 100));
  }

  @Test
  void freeLockWithALiveWaiter() {
    assertBreaks(
        "L6",
        queued(1, "b", FIRST, List.of("b")),
        new Event.Decided(
            2 * MILLI, Verb.RELEASE, "a", "seat", 1, false, true, null, List.of("b"), List.of()));
  }

  @Test
  void refusalThatNobodySaid() {
    assertBreaks("L7", invoked(0, 1, "a", 0), new Event.Ended(1 * MILLI, 1, Event.End.REFUSED, ""));
  }

  @Test
  void refusalBeforeItsTime() {
    assertBreaks(
        "L7",
        invoked(0, 1, "a", 1000),
        new Event.Answered(1 * MILLI, "a", Verb.ACQUIRE, "seat"),
        new Event.Ended(2 * MILLI, 1, Event.End.REFUSED, ""));
  }

  @Test
  void orphan() {
    assertBreaks(
        "L7",
        new Event.Rest(5 * MILLI, "a", 0),
        new Event.Left(5 * MILLI, "seat", FIRST, List.of(), false));
    assertBreaks(
        "L7",
        new Event.Rest(5 * MILLI, "a", 0),
        new Event.Left(5 * MILLI, "seat", null, List.of("a"), false));
  }

  @Test
  void whatIsLeftBehind() {
    assertBreaks("L8", new Event.Rest(5 * MILLI, "a", 1));
    assertBreaks("L8", new Event.Left(5 * MILLI, "seat", null, List.of(), true));
  }

  private static void assertBreaks(String rule, Event... events) {
    assertThat(check(events))
        .as("%s", (Object) events)
        .hasValueSatisfying(violation -> assertThat(violation.rule()).isEqualTo(rule));
  }

  private static void assertHolds(Event... events) {
    assertThat(check(events)).isEmpty();
  }

  private static Optional<Violation> check(Event... events) {
    return HistoryChecker.check(
        List.of(events),
        new Assumptions(true, true, 20 * MILLI, 60_000 * MILLI, 10_000 * MILLI, true));
  }

  private static Event invoked(long millis, int op, String client, long waitMillis) {
    return new Event.Invoked(millis * MILLI, op, client, "seat", waitMillis * MILLI);
  }

  private static Event acquired(long millis, int op, String client, long token) {
    return new Event.Acquired(millis * MILLI, op, client, "seat", token);
  }

  private static Event acquired() {
    return acquired(2, 1, "a", 100);
  }

  private static Event acquiredUntil(long millis) {
    return decided(1, "a", new Held("a", 1, 100, 100, (millis + 10) * MILLI));
  }

  private static Event deadline(long millis) {
    return new Event.Deadline(2 * MILLI, 1, millis * MILLI);
  }

  private static Event decided(long millis, String client, Held after) {
    return new Event.Decided(
        millis * MILLI,
        Verb.ACQUIRE,
        client,
        "seat",
        after.attempt(),
        false,
        new GrantReply.Granted(after.token(), 1, 1, 0),
        after,
        List.of(),
        List.of());
  }

  private static Event handedOff(long millis, Held after) {
    return handedOff(
        millis, after, List.of(new Event.SentMessage(after.client(), LockMessage.Kind.GRANTED)));
  }

  private static Event handedOff(long millis, Held after, List<Event.SentMessage> messages) {
    return new Event.Decided(
        millis * MILLI, Verb.RELEASE, "b", "seat", 7, false, true, after, List.of(), messages);
  }

  private static Event renewed(long millis, Held after) {
    return new Event.Decided(
        millis * MILLI,
        Verb.RENEW,
        after.client(),
        "seat",
        after.attempt(),
        false,
        new RenewReply.Renewed(1, 0),
        after,
        List.of(),
        List.of());
  }

  private static Event queued(long millis, String client, Held holder, List<String> queue) {
    return new Event.Decided(
        millis * MILLI,
        Verb.ACQUIRE,
        client,
        "seat",
        1,
        true,
        new GrantReply.Queued(0, 1),
        holder,
        queue,
        List.of());
  }

  private static Event fault(long millis, Kind kind, String client) {
    return new Event.Fault(millis * MILLI, kind, client, 0);
  }
}
