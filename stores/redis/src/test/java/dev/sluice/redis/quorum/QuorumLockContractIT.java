package dev.sluice.redis.quorum;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.ACQUIRE;
import static dev.sluice.testkit.FlakyBackend.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.GivingUp;
import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.OwnGrant;
import dev.sluice.testkit.lock.Reentrancy;
import dev.sluice.testkit.lock.UnknownOutcomes;
import dev.sluice.testkit.lock.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * A quorum of three keeps every promise but those of a store with one queue for all; what it does
 * instead is tested here.
 */
@EachRedis
class QuorumLockContractIT extends ContractFixture
    implements Exclusion,
        Fencing,
        OwnGrant,
        Leases,
        UnknownOutcomes,
        Waiting,
        GivingUp,
        HandOff,
        Reentrancy {
  /** Shared by the tests on one program. */
  private static List<RedisServer> servers = List.of();

  QuorumLockContractIT(RedisBinary binary) {
    if (servers.isEmpty()) {
      servers = Stream.generate(() -> RedisServer.start(binary)).limit(3).toList();
    }
  }

  @AfterAll
  static void stopServers() {
    servers.forEach(RedisServer::close);
    servers = List.of();
  }

  @Override
  protected StoreUnderTest openStore() {
    return new QuorumStore(servers);
  }

  @Override
  public void settle() {
    QuorumStore.settle(servers, NAME);
  }

  @Test
  void whatAQuorumDoesNotHaveIsRefusedAtOnce() {
    Sluice client = client();
    assertThatThrownBy(() -> client.inventory("x"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageEndingWith("has no inventories; Redis, SQL and memory have");
    assertThatThrownBy(() -> client.latch("x"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageEndingWith("has no latches; Redis, SQL and memory have");
  }

  /** A majority is asked again, so the hold is the same, and the token a new one. */
  @Test
  void repeatedRequestIsTheSameHoldWithAHigherToken() {
    FlakyBackend line = line();
    Sluice a = client(line);
    line.set(ACQUIRE, REPEATS_REQUEST).set(RELEASE, REPEATS_REQUEST);

    Lease lease = take(a, LONG);
    line.deliverAgain(line.acquires().get(0));

    assertThat(holds(a)).isTrue();
    assertThat(info().holder().orElseThrow().token()).isGreaterThan(lease.token());
    assertThat(lock(client(), LONG).tryAcquire()).isEmpty();
    assertThat(lease.release()).isTrue();
    assertNothingLeft();
  }

  /** Each server has a queue of its own: only who came first at all of them is first. */
  @Test
  void releaseWakesTheOneWhoWaitsLongest() {
    Lease held = take(client(), LONG);
    FlakyBackend first = line();
    FlakyBackend second = line();
    CompletableFuture<Lease> waiting = enqueue(client(first), LONG);
    until("it waits at every server", () -> QuorumStore.queue(servers, NAME, 1));
    CompletableFuture<Lease> alsoWaiting = enqueue(client(second), LONG);
    until("it waits at every server", () -> QuorumStore.queue(servers, NAME, 2));
    second.set(ACQUIRE, HOLDS_REQUEST); // or a poll of its own takes a server in between
    until("its polls are held", () -> second.heldCalls() > 0);
    held.close();

    Lease next = granted(waiting, Duration.ofSeconds(2)); // by a message, or by its own poll
    // a server that hears of this grant before it hears of the release tells the second one
    assertThat(second.messages()).hasSizeLessThan(servers.size() / 2 + 1);
    second.heal();
    next.close();
    granted(alsoWaiting, Duration.ofSeconds(2));
  }

  @Test
  void theKeeperOfAStickyLockIsToldAgainByWhoWaitsLongest() {
    FlakyBackend line = line();
    line.losesMessages(true);
    Duration minute = Duration.ofMinutes(1);
    take(client(line), LockOptions.fixed(minute).sticky(minute)).close(); // it is never renewed
    CompletableFuture<Lease> waiting = queue(client(), LONG);
    until("each server has told it", () -> line.messages().size() >= servers.size());
    line.losesMessages(false);

    assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)); // by a poll of its own
  }

  @Test
  void everybodyIsServedAndTokensGrow() {
    Lease held = take(client(), LONG);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    tokens.add(held.token());
    for (int i = 0; i < 6; i++) {
      waiting.add(
          queue(client(), LONG)
              .thenApply(
                  lease -> {
                    tokens.add(lease.token());
                    lease.releaseAsync();
                    return lease;
                  }));
    }
    held.close();
    within(
        "all had their turn",
        Duration.ofSeconds(8),
        () -> waiting.stream().allMatch(CompletableFuture::isDone));
    assertThat(tokens).hasSize(7).isSorted().doesNotHaveDuplicates();
  }
}
