package dev.sluice.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.verification.history.Event.Kind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Histories of real processes, seen from outside: no decision of the store, faults for a while. */
class OutsideHistoryTest {
  private static final long MILLI = 1_000_000;
  private static final long LEASE = 1000;

  private static Optional<Violation> check(Event... events) {
    return HistoryChecker.check(
        List.of(events),
        new Assumptions(true, false, 100 * MILLI, LEASE * MILLI, 2000 * MILLI, false));
  }

  private static void assertBreaks(String rule, Event... events) {
    assertThat(check(events))
        .hasValueSatisfying(violation -> assertThat(violation.rule()).isEqualTo(rule));
  }

  private static Event invoked(long millis, int op, String client) {
    return new Event.Invoked(millis * MILLI, op, client, "seat", 0);
  }

  private static Event acquired(long millis, int op, String client, long token) {
    return new Event.Acquired(millis * MILLI, op, client, "seat", token);
  }

  private static Event until(long millis, int op, long until) {
    return new Event.Deadline(millis * MILLI, op, until * MILLI);
  }

  private static Event fault(long millis, Kind kind) {
    return new Event.Fault(millis * MILLI, kind, "", 0);
  }

  private static Event released(long millis, int op, boolean ours) {
    return new Event.Released(millis * MILLI, op, ours);
  }

  private static Event rejected(long millis, int op, long token) {
    return new Event.Written(millis * MILLI, op, "seat", token, false);
  }

  @Test
  void twoWhoHoldAtOnce() {
    assertBreaks(
        "L1",
        acquired(1, 1, "a", 100),
        until(1, 1, 900),
        acquired(2, 2, "b", 200),
        until(2, 2, 1000));
  }

  @Test
  void anEarlyEndExcusesAnOverlapForOneLease() {
    Event first = acquired(1, 1, "a", 100);
    Event second = acquired(20, 2, "b", 200);
    assertThat(check(first, until(1, 1, 900), fault(10, Kind.AMNESIA), second, until(20, 2, 1000)))
        .isEmpty();
    assertBreaks(
        "L1",
        fault(0, Kind.AMNESIA),
        acquired(LEASE + 1, 1, "a", 100),
        until(LEASE + 1, 1, 1900),
        acquired(LEASE + 2, 2, "b", 200),
        until(LEASE + 2, 2, 2000));
  }

  @Test
  void aStepBackOfTheClockExcusesNothing() {
    assertBreaks(
        "L1",
        acquired(1, 1, "a", 100),
        until(1, 1, 900),
        new Event.Fault(2 * MILLI, Kind.STEPPED, "", -MILLI),
        acquired(3, 2, "b", 200),
        until(3, 2, 1000));
  }

  @Test
  void aLeaseThatIsSeenAfterItsEndOverlapsNobody() {
    assertThat(
            check(
                acquired(1, 1, "a", 100),
                until(1, 1, 3000),
                acquired(2, 2, "b", 200),
                until(1500, 2, 1000)))
        .isEmpty();
  }

  @Test
  void guardThatRefusesAHolderInGoodStanding() {
    assertBreaks("L1", acquired(1, 1, "a", 100), until(1, 1, 900), rejected(2, 1, 100));
    assertThat(check(acquired(1, 1, "a", 100), until(1, 1, 900), rejected(901, 1, 100))).isEmpty();
  }

  @Test
  void leaseThatOutlivesTheLossOfItsEntry() {
    Event lost = new Event.Fault(10 * MILLI, Kind.AMNESIA, "", 5 * MILLI);
    Event first = acquired(1, 1, "a", 100);
    assertBreaks("L3", first, until(1, 1, 900), lost, until(800, 1, 10 + LEASE + 1));
    assertThat(check(first, until(1, 1, 900), lost, until(800, 1, 10 + LEASE))).isEmpty();
    assertThat(check(acquired(6, 1, "a", 100), lost, until(800, 1, 10 + LEASE + 1))).isEmpty();
  }

  @Test
  void tokensThatRepeatOrGoBackEvenAfterALossOfData() {
    assertBreaks(
        "L2",
        invoked(0, 1, "a"),
        acquired(1, 1, "a", 100),
        fault(2, Kind.AMNESIA),
        invoked(3, 2, "b"),
        acquired(4, 2, "b", 100));
    assertBreaks(
        "L2",
        invoked(0, 1, "a"),
        acquired(1, 1, "a", 100),
        fault(2990, Kind.AMNESIA),
        invoked(3000, 2, "b"),
        acquired(3001, 2, "b", 99));
  }

  @Test
  void tokenBelowOneThatWasReturnedBeforeTheCall() {
    assertBreaks(
        "L2",
        invoked(0, 1, "a"),
        acquired(1, 1, "a", 100),
        invoked(2, 2, "b"),
        acquired(3, 2, "b", 99));
  }

  @Test
  void twoReleasesOfOneLeaseThatAreBothTheFirst() {
    assertBreaks(
        "L3",
        acquired(1, 1, "a", 100),
        until(1, 1, 900),
        released(2, 1, true),
        released(3, 1, true));
  }

  @Test
  void waiterWhoIsStillWaitingWhenFaultsComeBack() {
    assertBreaks("L6", invoked(0, 1, "a"), fault(10, Kind.HEALED), fault(2011, Kind.DISTURBED));
    assertThat(
            check(
                invoked(0, 1, "a"),
                fault(10, Kind.HEALED),
                fault(1000, Kind.DISTURBED),
                acquired(9000, 1, "a", 100)))
        .isEmpty();
  }
}
