package dev.sluice.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.quorum.QuorumWorld.Case;
import dev.sluice.redis.quorum.QuorumWorld.Rejoin;
import dev.sluice.spi.GrantRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Random interleavings of clients, messages and failing nodes; and the faults that they find. */
class QuorumSearchTest {
  private static final long SEED = Long.getLong("sluice.quorum.seed", 1);
  private static final int RUNS = Integer.getInteger("sluice.quorum.runs", 400);
  private static final int RUNS_FOR_A_FAULT = 20_000;
  private static final int STEPS = 1_500;

  /** Some in every run. */
  private static final long TURN = 300_000;

  private static Case of(int nodes, boolean early, boolean amnesia) {
    return new Case(
        nodes,
        early,
        amnesia,
        () -> new QuorumNode(0, TURN),
        Function.identity(),
        Rejoin.WAIT_THEN_LEARN);
  }

  private static Case with(Case c, Supplier<QuorumNode> node) {
    return new Case(c.nodes(), c.early(), c.amnesia(), node, c.line(), c.rejoin());
  }

  private static Case with(Case c, Rejoin rejoin) {
    return new Case(c.nodes(), c.early(), c.amnesia(), c.makeNode(), c.line(), rejoin);
  }

  private static Optional<String> search(Case what, int runs) {
    return search(what, SEED, runs);
  }

  private static Optional<String> search(Case what, long from, int runs) {
    int grants = 0;
    for (long seed = from; seed < from + runs; seed++) {
      QuorumWorld world = new QuorumWorld(what, seed);
      Optional<String> violation = world.run(STEPS);
      if (violation.isPresent()) {
        return Optional.of("seed " + seed + ": " + violation.get());
      }
      grants += world.grants();
    }
    assertThat(grants).as("grants, or nothing was searched").isGreaterThan(runs);
    return Optional.empty();
  }

  @Test
  void tokensGrowThoughEntriesEndEarlyAndClocksAreWorthNothing() {
    assertThat(search(of(3, true, false), RUNS)).isEmpty();
    assertThat(search(of(5, true, false), RUNS / 2)).isEmpty();
  }

  @Test
  void nobodyBelievesBesideAnotherWhileNothingEndsEarly() {
    assertThat(search(of(3, false, false), RUNS)).isEmpty();
    assertThat(search(of(5, false, false), RUNS / 2)).isEmpty();
  }

  @Test
  void nodesThatForgetWaitAndThenLearn() {
    assertThat(search(of(3, true, true), RUNS)).isEmpty();
    assertThat(search(of(3, false, true), RUNS)).isEmpty();
    assertThat(search(of(5, true, true), RUNS / 2)).isEmpty();
  }

  @Test
  void findsARequestThatIsGrantedByTheFenceAlone() {
    assertThat(
            search(
                with(
                    of(3, true, false),
                    () ->
                        new QuorumNode(0, TURN) {
                          @Override
                          protected boolean isHigher(long fence, long token) {
                            return fence <= token;
                          }
                        }),
                RUNS_FOR_A_FAULT))
        .isPresent();
  }

  @Test
  void findsAFenceThatGoesWithItsVote() {
    assertThat(
            search(
                with(
                    of(3, true, false),
                    () ->
                        new QuorumNode(0, TURN) {
                          @Override
                          protected long kept(String name) {
                            return 0;
                          }
                        }),
                RUNS_FOR_A_FAULT))
        .isPresent();
  }

  /** The client takes the highest counter that it sees, and does not write it back. */
  @Test
  void findsAMaximumThatIsNotWrittenBack() {
    Case fine = of(3, true, false);
    assertThat(
            search(
                new Case(
                    fine.nodes(),
                    fine.early(),
                    fine.amnesia(),
                    fine.makeNode(),
                    WithoutWriteBack::new,
                    fine.rejoin()),
                RUNS_FOR_A_FAULT))
        .isPresent();
  }

  @Test
  void findsAReleaseThatComparesTheClientOnly() {
    assertThat(
            search(
                with(
                    of(3, false, false),
                    () ->
                        new QuorumNode(0, TURN) {
                          @Override
                          protected boolean frees(Entry entry, String client, long attempt) {
                            return entry.client.equals(client);
                          }
                        }),
                RUNS_FOR_A_FAULT))
        .isPresent();
  }

  @Test
  void findsANodeThatServesAtOnceAfterItForgot() {
    assertThat(search(with(of(3, true, true), Rejoin.AT_ONCE), RUNS_FOR_A_FAULT)).isPresent();
    assertThat(search(with(of(3, false, true), Rejoin.AT_ONCE), RUNS_FOR_A_FAULT)).isPresent();
  }

  @Test
  void findsANodeThatWaitsAndDoesNotLearn() {
    assertThat(search(with(of(3, true, true), Rejoin.WAIT_ONLY), RUNS_FOR_A_FAULT)).isPresent();
  }

  @Test
  void findsANodeThatLearnsBeforeItWaits() {
    // rare: from the first seed on it takes a minute to get here
    assertThat(search(with(of(3, true, true), Rejoin.LEARN_THEN_WAIT), 6_150, RUNS_FOR_A_FAULT))
        .isPresent();
  }

  /** Round 2 that only pretends. */
  private record WithoutWriteBack(QuorumPeer peer) implements QuorumPeer {
    @Override
    public String describe() {
      return peer.describe();
    }

    @Override
    public boolean isSlow() {
      return peer.isSlow();
    }

    @Override
    public CompletionStage<Vote> acquire(GrantRequest request, long token, int block) {
      return peer.acquire(request, token, block);
    }

    @Override
    public CompletionStage<Vote> raise(GrantRequest request, long token, int block) {
      return CompletableFuture.completedFuture(new Vote(Vote.Kind.YES, token, 1_000_000, 0));
    }

    @Override
    public CompletionStage<Vote> renew(String name, String client, long attempt, long ttl) {
      return peer.renew(name, client, attempt, ttl);
    }

    @Override
    public CompletionStage<Vote> release(String name, String client, long attempt, boolean waits) {
      return peer.release(name, client, attempt, waits);
    }

    @Override
    public CompletionStage<NodeView> inspect(String name) {
      return peer.inspect(name);
    }
  }
}
