package dev.sluice.verification.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.spi.Scheduler;
import dev.sluice.state.grant.GrantState;
import dev.sluice.testkit.FaultyStates;
import dev.sluice.verification.history.Violation;
import dev.sluice.verification.torture.FaultyRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Each fault that the models prove wrong is caught by the simulation within a few schedules. */
class SimulationCatchesFaultsTest {
  private static final int SCHEDULES = 10_000;
  private static final Logger QUIET = Logger.getLogger("dev.sluice.lock");

  static {
    QUIET.setLevel(Level.OFF);
  }

  // ---- at the store ----

  @Test
  void plainDelete() {
    assertCaught("L3", store(FaultyStates::plainDelete));
  }

  @Test
  void releaseByClientWithoutAttempt() {
    assertCaught("L3", store(FaultyStates::releaseByClientAlone));
  }

  @Test
  void noTombstone() {
    assertCaught("L3", store(FaultyStates::noTombstone));
  }

  @Test
  void counterWithoutClockFloorAfterLossOfData() {
    assertCaught("L2", store(FaultyStates::tokenWithoutClockFloor));
  }

  @Test
  void tokenThatIsTheClockAlone() {
    assertCaught("L2", store(FaultyStates::tokenThatIsTheClock));
  }

  @Test
  void lastTokenOfABlockGivenAgain() {
    assertCaught("L2", store(FaultyStates::lastTokenOfABlockGivenAgain));
  }

  @Test
  void renewalThatRecreates() {
    assertCaught("L3", store(FaultyStates::renewalThatRecreates));
  }

  @Test
  void pollThatDoesNotSweep() {
    assertCaught("L6", store(FaultyStates::pollThatDoesNotSweep));
  }

  @Test
  void releaseWithoutHandOver() {
    assertCaught("L6", store(FaultyStates::noHandOver));
  }

  @Test
  void newcomerThatPassesTheQueue() {
    assertCaught("L6", store(FaultyStates::newcomerPassesTheQueue));
  }

  @Test
  void wakingAllWaiters() {
    assertCaught("L6", store(FaultyStates::wakesEverybody));
  }

  @Test
  void deadWaiterThatIsNotSkipped() {
    assertCaught("L6", store(FaultyStates::deadAreNotSkipped));
  }

  @Test
  void grantThatForgetsTheHolder() {
    assertCaught("L1", store(FaultyStates::forgetsTheHolder));
  }

  // ---- at the client ----

  @Test
  void deadlineCountedFromTheReply() {
    assertCaught("L1|L4", rules(FaultyRules.deadlineFromTheReply()));
  }

  @Test
  void deadlineWithoutAMargin() {
    assertCaught("L1|L4", rules(FaultyRules.noMargin()));
  }

  @Test
  void deadlineWithoutMarginForWhatAnEarlierRequestLeft() {
    assertCaught("L4", rules(FaultyRules.marginOfTheTtlAlone()));
  }

  @Test
  void renewalAcceptedAfterTheDeadline() {
    assertCaught("L5", rules(FaultyRules.renewalCountsAfterTheDeadline()));
  }

  @Test
  void handOffWithoutALookAtTheDeadline() {
    assertCaught("L2", rules(FaultyRules.handOffWithoutALookAtTheDeadline()));
  }

  @Test
  void blockBeyondItsEnd() {
    assertCaught(
        "L2",
        client(
            link ->
                new Relay(link) {
                  @Override
                  public CompletionStage<GrantReply> acquire(GrantRequest request) {
                    return super.acquire(request)
                        .thenApply(
                            reply ->
                                reply instanceof GrantReply.Granted g
                                    ? new GrantReply.Granted(
                                        g.token(),
                                        g.block() + 1024,
                                        g.remainingMicros(),
                                        g.waiting())
                                    : reply);
                  }
                }));
  }

  @Test
  void tokenOfABlockHandedOutTwice() {
    assertCaught(
        "L2",
        client(
            link ->
                new Relay(link) {
                  private long last;

                  @Override
                  public CompletionStage<GrantReply> acquire(GrantRequest request) {
                    return super.acquire(request).thenApply(this::restart);
                  }

                  /** Starts a grant inside the block before it, as if that was not used up. */
                  private GrantReply restart(GrantReply reply) {
                    if (!(reply instanceof GrantReply.Granted g)) {
                      return reply;
                    }
                    long first = last == 0 ? g.token() : Math.min(last + 1, g.token());
                    last = g.token();
                    return new GrantReply.Granted(
                        first, g.block(), g.remainingMicros(), g.waiting());
                  }
                }));
  }

  @Test
  void ambiguousGrantNotUndone() {
    assertCaught(
        "L7",
        client(
            link ->
                new Relay(link) {
                  private final Set<Long> granted = new HashSet<>();

                  @Override
                  public CompletionStage<GrantReply> acquire(GrantRequest request) {
                    return super.acquire(request)
                        .whenComplete(
                            (reply, failure) -> {
                              if (reply instanceof GrantReply.Granted) {
                                granted.add(request.attempt());
                              }
                            });
                  }

                  @Override
                  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
                    return granted.contains(attempt.attempt())
                        ? super.release(attempt, keep)
                        : CompletableFuture.completedFuture(false);
                  }
                }));
  }

  @Test
  void relyingOnMessagesOnly() {
    assertCaught(
        "L6",
        client(
            link ->
                new Relay(link) {
                  private final Map<String, Long> queued = new HashMap<>();

                  @Override
                  public CompletionStage<GrantReply> acquire(GrantRequest request) {
                    Long waiting = queued.get(request.name());
                    if (waiting != null && waiting == request.attempt()) {
                      return CompletableFuture.completedFuture(new GrantReply.Queued(1, 1_000_000));
                    }
                    return super.acquire(request)
                        .thenApply(
                            reply -> {
                              if (reply instanceof GrantReply.Queued) {
                                queued.put(request.name(), request.attempt());
                              }
                              return reply;
                            });
                  }

                  @Override
                  public CompletionStage<Void> listen(
                      String client, Consumer<LockMessage> listener) {
                    return super.listen(
                        client,
                        message -> {
                          queued.remove(message.name());
                          listener.accept(message);
                        });
                  }
                }));
  }

  @Test
  void renewingByOrderOfCallbacks() {
    assertCaught(
        "L3",
        new Variant() {
          @Override
          public GrantBackend client(GrantBackend link, Scheduler scheduler) {
            return new Relay(link) {
              /** Each answered renewal plans the next, whatever became of the lease meanwhile. */
              @Override
              public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
                return super.renew(attempt, ttlMicros)
                    .whenComplete(
                        (reply, failure) -> {
                          if (reply instanceof RenewReply.Renewed) {
                            scheduler.schedule(
                                () -> renew(attempt, ttlMicros), ttlMicros * 1000 / 3);
                          }
                        });
              }
            };
          }
        });
  }

  @Test
  void unknownTakenForBusy() {
    assertCaught(
        "L7",
        client(
            link ->
                new Relay(link) {
                  @Override
                  public CompletionStage<GrantReply> acquire(GrantRequest request) {
                    return super.acquire(request).exceptionally(failure -> new GrantReply.Busy(0));
                  }
                }));
  }

  // ---- the hunt ----

  private static void assertCaught(String rules, Variant variant) {
    List<Violation> others = new ArrayList<>();
    for (int seed = 0; seed < SCHEDULES; seed++) {
      Violation violation = Simulation.run(seed, variant).violation().orElse(null);
      if (violation != null && violation.rule().matches(rules)) {
        return;
      }
      if (violation != null) {
        others.add(violation);
      }
    }
    assertThat(others)
        .as("no schedule of %s breaks %s; these broke others", SCHEDULES, rules)
        .isNull();
  }

  private static Variant store(Function<String, GrantState> states) {
    return new Variant() {
      @Override
      public GrantState newState(String name) {
        return states.apply(name);
      }
    };
  }

  private static Variant rules(LeaseRules rules) {
    return new Variant() {
      @Override
      public LeaseRules rules() {
        return rules;
      }
    };
  }

  private static Variant client(UnaryOperator<GrantBackend> relay) {
    return new Variant() {
      @Override
      public GrantBackend client(GrantBackend link, Scheduler scheduler) {
        return relay.apply(link);
      }
    };
  }

  /** Passes everything on. */
  private static class Relay implements GrantBackend {
    private final GrantBackend link;

    Relay(GrantBackend link) {
      this.link = link;
    }

    @Override
    public CompletionStage<GrantReply> acquire(GrantRequest request) {
      return link.acquire(request);
    }

    @Override
    public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
      return link.renew(attempt, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
      return link.release(attempt, keep);
    }

    @Override
    public CompletionStage<PermitInfo> inspect(String name) {
      return link.inspect(name);
    }

    @Override
    public CompletionStage<List<String>> names(int limit) {
      return link.names(limit);
    }

    @Override
    public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
      return link.listen(client, listener);
    }

    @Override
    public void unlisten(String client) {
      link.unlisten(client);
    }
  }
}
