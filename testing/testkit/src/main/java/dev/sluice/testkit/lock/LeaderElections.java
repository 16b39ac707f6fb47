package dev.sluice.testkit.lock;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.ElectionListener;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.StepDown;
import dev.sluice.lock.Term;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Tests of leader election: one leader at a time, which learns of the end of its term first.
 *
 * @since 0.1
 */
public interface LeaderElections extends LockContract {
  Duration TTL = Duration.ofSeconds(3);
  LockOptions OPTIONS = LockOptions.renewing(TTL);

  /** A candidate of an election, and the events that it received. */
  final class Candidate implements ElectionListener {
    final List<Candidate> candidates;
    final Sluice client;
    final LeaderElection election;
    final List<Term> terms = new CopyOnWriteArrayList<>();
    final List<Term> elected = new CopyOnWriteArrayList<>();
    final List<StepDown> ends = new CopyOnWriteArrayList<>();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final List<String> overlaps = new CopyOnWriteArrayList<>();
    volatile boolean failing;
    volatile boolean returning;
    volatile boolean startedInterrupted;

    Candidate(List<Candidate> candidates, Sluice client, LockOptions options) {
      this.candidates = candidates;
      this.client = client;
      this.election = client.election(NAME, options).onChange(this);
      candidates.add(this);
    }

    Candidate stand() {
      election.lead(this::lead);
      return this;
    }

    private void lead(Term term) {
      startedInterrupted |= Thread.currentThread().isInterrupted();
      for (Candidate other : candidates) {
        if (other != this && other.election.isLeader()) {
          overlaps.add("elected while another one leads: " + term.token());
        }
      }
      terms.add(term);
      if (failing) {
        throw new IllegalArgumentException("cannot lead");
      }
      while (term.isLeader() && !returning) {
        LockSupport.parkNanos(300_000);
      }
    }

    boolean leads() {
      return election.isLeader() && !terms.isEmpty();
    }

    @Override
    public void elected(Term term) {
      elected.add(term);
    }

    @Override
    public void steppedDown(Term term, StepDown why) {
      ends.add(why);
    }

    @Override
    public void failed(Throwable failure) {
      failures.add(failure);
    }
  }

  /** The candidates of a test. */
  final class Candidates {
    final List<Candidate> all = new CopyOnWriteArrayList<>();
  }

  private List<Candidate> candidates() {
    return kept(Candidates.class, Candidates::new).all;
  }

  /** A candidate of an election. */
  default Candidate candidate(Sluice client, LockOptions options) {
    return new Candidate(candidates(), client, options);
  }

  /** A candidate that stays the leader even if the machine stalls for some seconds. */
  default Candidate candidate() {
    return candidate(client(), LONG);
  }

  default Candidate leader() {
    return leader(line());
  }

  default Candidate leader(FlakyBackend line) {
    Candidate leader = candidate(client(line), LONG).stand();
    until("it leads", leader::leads);
    return leader;
  }

  default Candidate waiting() {
    Candidate waiting = candidate().stand();
    until("it stands for election", () -> waits(waiting.client));
    return waiting;
  }

  /** Delays a candidate that is about to stand again, where it might overtake waiting ones. */
  default void holdBack(FlakyBackend line) {}

  default void assertNoOverlap() {
    assertThat(candidates()).allMatch(each -> each.overlaps.isEmpty());
    assertThat(candidates()).noneMatch(each -> each.startedInterrupted);
  }

  @Test
  default void oneLeadsAndTheOthersWait() {
    Candidate a = leader();
    Candidate other = waiting();

    assertThat(a.election.name()).isEqualTo(NAME);
    assertThat(other.election.isLeader()).isFalse();
    assertThat(other.election.term()).isEmpty();
    Term term = a.election.term().orElseThrow();
    assertThat(term).isSameAs(a.terms.get(0));
    assertThat(term.isLeader()).isTrue();
    term.checkLeader();
    assertThat(term.lease().token()).isEqualTo(term.token());
    assertThat(other.election.info().holder().orElseThrow().client())
        .isEqualTo(a.client.clientId());
    assertThat(other.election.info().holder().orElseThrow().token()).isEqualTo(term.token());
    assertThat(info().waiters()).hasSize(1);
    until("listeners hear of it", () -> a.elected.size() == 1);
  }

  @Test
  default void nobodyLeadsBeforeSomebodyStands() {
    LeaderElection election = client().election(NAME);
    assertThat(election.isLeader()).isFalse();
    assertThat(election.info().holder()).isEmpty();
    election.close();
    assertNothingLeft();
  }

  @Test
  default void whoClosesStepsDownAndTheNextIsElectedAtOnce() {
    Candidate a = leader();
    Candidate other = waiting();
    Term first = a.terms.get(0);
    a.election.close();

    assertThat(first.isLeader()).isFalse();
    assertThatThrownBy(first::checkLeader)
        .isInstanceOf(LeaseLostException.class)
        .hasMessage("leadership of '%s' is over: CLOSED (token %s)", NAME, first.token());
    until("the next one leads", other::leads); // by message: no time passes
    assertThat(other.terms.get(0).token()).isGreaterThan(first.token());
    until("listeners hear of it", () -> a.ends.size() == 1);
    assertThat(a.ends).containsExactly(StepDown.CLOSED);
    assertThat(a.failures).isEmpty();
    assertNoOverlap();
  }

  @Test
  default void deadLeaderIsReplacedAndKnewBefore() {
    FlakyBackend line = line();
    Candidate a = candidate(client(line), OPTIONS).stand();
    until("it leads", a::leads);
    Candidate other = waiting();
    line.die();
    within("another one leads", TTL.plusSeconds(1), other::leads);

    assertThat(a.election.isLeader()).isFalse();
    assertThat(other.terms.get(0).token()).isGreaterThan(a.terms.get(0).token());
    assertNoOverlap();
  }

  @Test
  default void callbackThatWaitsIsInterruptedAndThatIsNoFailure() {
    FlakyBackend line = line();
    Candidate a = candidate(client(line), OPTIONS);
    List<InterruptedException> interrupts = new CopyOnWriteArrayList<>();
    a.election.lead(
        term -> {
          a.terms.add(term);
          a.startedInterrupted |= Thread.currentThread().isInterrupted();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException failure) {
            interrupts.add(failure);
            throw failure;
          }
        });
    until("it leads", a::leads);
    line.set(RENEW, LOSES_REQUEST);
    within("it is interrupted in doubt", TTL, () -> !interrupts.isEmpty());
    line.heal();
    within("it leads again", TTL, () -> a.terms.size() == a.ends.size() + 1 && a.leads());
    a.election.close();

    until("it is interrupted at the end", () -> interrupts.size() == a.terms.size());
    until("listeners hear of it", () -> a.ends.size() == a.terms.size());
    assertThat(a.ends).endsWith(StepDown.CLOSED);
    assertThat(a.ends.subList(0, a.ends.size() - 1)) // lost where the machine stands still
        .isNotEmpty()
        .isSubsetOf(StepDown.IN_DOUBT, StepDown.LOST);
    assertThat(a.failures).isEmpty();
    assertNoOverlap();
  }

  @Test
  default void isElectedAgainAfterADoubt() {
    FlakyBackend line = line();
    Candidate a = candidate(client(line), OPTIONS).stand();
    until("it leads", a::leads);
    line.set(RENEW, LOSES_REQUEST);
    within("it steps down", TTL, () -> !a.terms.get(0).isLeader());
    line.heal();
    within("it leads again", TTL, () -> a.terms.size() > 1 && a.leads());

    assertThat(a.terms.get(1).token()).isGreaterThan(a.terms.get(0).token());
    assertThat(a.terms.get(0).isLeader()).isFalse();
    assertNoOverlap();
  }

  @Test
  default void callbackThatThrowsIsToldAndRunsAgain() {
    Candidate a = candidate();
    a.failing = true;
    a.stand();
    within("it ran twice", Duration.ofSeconds(1), () -> a.terms.size() >= 2);
    a.failing = false;
    within("it leads", Duration.ofSeconds(10), a::leads);

    until("listeners hear of it", () -> a.failures.size() == a.terms.size() - 1);
    assertThat(a.failures).allMatch(failure -> "cannot lead".equals(failure.getMessage()));
    assertThat(a.ends).containsOnly(StepDown.FAILED);
    for (int i = 1; i < a.terms.size(); i++) {
      assertThat(a.terms.get(i).token()).isGreaterThan(a.terms.get(i - 1).token());
      assertThat(a.terms.get(i - 1).isLeader()).isFalse();
    }
  }

  @Test
  default void callbackThatReturnsLetsTheNextLead() {
    FlakyBackend line = line();
    Candidate a = leader(line);
    Candidate other = waiting();
    holdBack(line);
    a.returning = true;

    until("the next one leads", other::leads);
    until("listeners hear of it", () -> a.ends.size() == 1);
    assertThat(a.ends).containsExactly(StepDown.RETURNED);
    line.heal();
    within("it stands again", Duration.ofSeconds(1), () -> waits(a.client));
    assertNoOverlap();
  }

  @Test
  default void whoResignsLetsTheNextLead() {
    FlakyBackend line = line();
    Candidate a = leader(line);
    Candidate other = waiting();
    holdBack(line);
    a.terms.get(0).resign();

    assertThat(a.election.isLeader()).isFalse();
    until("the next one leads", other::leads);
    until("listeners hear of it", () -> a.ends.size() == 1);
    assertThat(a.ends).containsExactly(StepDown.RESIGNED);
    assertThat(a.terms.get(0).over().toCompletableFuture().join()).isEqualTo(StepDown.RESIGNED);
    assertNoOverlap();
  }

  @Test
  default void candidateThatClosesLeavesTheQueue() {
    Candidate a = leader();
    Candidate other = waiting();
    other.election.close();
    until("its ticket is taken back", () -> info().waiters().isEmpty());
    a.election.close();

    assertThat(other.terms).isEmpty();
    assertNothingLeft();
  }

  @Test
  default void closingIsPromptWhileTheStoreIsSilent() {
    FlakyBackend line = line();
    line.setAll(LOSES_REQUEST);
    Candidate a = candidate(client(line), OPTIONS).stand();
    until("it asks", () -> line.calls() > 0);
    a.election.close();
    line.heal();

    leader();
    assertThat(a.terms).isEmpty();
  }

  @Test
  default void closingTheClientEndsItsElections() {
    Candidate a = leader();
    Candidate other = waiting();
    a.client.close();

    assertThat(a.terms.get(0).isLeader()).isFalse();
    until("the next one leads", other::leads);
    assertThat(a.ends).isSubsetOf(StepDown.CLOSED);
    assertNoOverlap();
  }

  @Test
  default void quickComingAndGoingLeavesOneLeader() {
    List<LeaderElection> closed = new ArrayList<>();
    Sluice client = client();
    for (int i = 0; i < 30; i++) {
      LeaderElection election = client.election(NAME, LONG);
      election.lead(term -> LockSupport.parkNanos(1));
      closed.add(election);
      election.close();
    }
    Candidate last = leader();
    assertThat(closed).noneMatch(LeaderElection::isLeader);
    until("the last ticket is taken back", () -> info().waiters().isEmpty());
    assertThat(last.election.info().holder().orElseThrow().client())
        .isEqualTo(last.client.clientId());
  }

  @Test
  default void lineThatComesAndGoesNeverMakesTwoLeaders() {
    FlakyBackend line = line();
    Candidate a = candidate(client(line), OPTIONS).stand();
    until("it leads", a::leads);
    Candidate other = waiting();
    for (int i = 0; i < 4; i++) {
      line.setAll(LOSES_REQUEST);
      line.losesMessages(true);
      for (int step = 0; step < 20; step++) {
        store().pass(TTL.dividedBy(20 - 2 * i));
        boolean first = a.election.isLeader();
        boolean second = other.election.isLeader();
        assertThat(first && second && a.election.isLeader()).as("two leaders").isFalse();
      }
      line.heal();
      store().pass(TTL.dividedBy(6));
    }
    within("one of them leads", TTL.multipliedBy(2), () -> a.leads() || other.leads());
    assertThat(a.election.isLeader() && other.election.isLeader()).isFalse();
    List<Long> tokens = new ArrayList<>();
    a.terms.forEach(term -> tokens.add(term.token()));
    other.terms.forEach(term -> tokens.add(term.token()));
    assertThat(tokens).doesNotHaveDuplicates();
    assertNoOverlap();
  }

  @Test
  default void leadsOnADaemonThreadThatIsNamed() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    List<Thread> threads = new CopyOnWriteArrayList<>();
    try (LeaderElection election = client().election(NAME)) {
      election.lead(
          term -> {
            threads.add(Thread.currentThread());
            seen.countDown();
            term.over().toCompletableFuture().get();
          });
      seen.await();
    }
    assertThat(threads).hasSize(1);
    assertThat(threads.get(0).isDaemon()).isTrue();
    assertThat(threads.get(0).getName()).isEqualTo("sluice-leader-" + NAME);
    until("it has ended", () -> !threads.get(0).isAlive());
  }

  @Test
  default void misuseIsRefused() {
    Sluice client = client();
    LeaderElection election = client.election(NAME);
    election.lead(term -> term.over().toCompletableFuture().get());
    assertThatThrownBy(() -> election.lead(term -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("election '%s' was begun before", NAME);
    election.close();
    election.close();
    assertThatThrownBy(() -> election.lead(term -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("election '%s' is closed", NAME);
    assertThatThrownBy(() -> client.election(NAME, LONG.sticky(Duration.ofSeconds(1))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.election("")).isInstanceOf(IllegalArgumentException.class);
  }
}
