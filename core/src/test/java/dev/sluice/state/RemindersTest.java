package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.QueueRequest;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantNews;
import dev.sluice.state.grant.GrantState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The findings of a client that reads a state instead of receiving messages. */
class RemindersTest {
  private static final long NOW = 1_800_000_000_000_000L;
  private static final long TTL = 5_000_000;

  private final List<String> sent = new ArrayList<>();

  private static GrantRequest request(String client, int units, boolean queue) {
    return new GrantRequest("x", client, 1, TTL, 2, units, units, false, 1, queue);
  }

  private List<String> reminded(GrantState state, String client) {
    List<String> found = new ArrayList<>();
    GrantNews.of(client, state)
        .sendReminders(state, (to, message) -> found.add(message.kind() + " " + to));
    return found;
  }

  private static long concernedUntil(GrantState state, String client) {
    return GrantNews.of(client, state).until();
  }

  private static boolean isWaiting(GrantState state, String client) {
    return GrantNews.of(client, state).isWaiting();
  }

  @Test
  void holderOfALockLearnsThatItWasTaken() {
    GrantState state = new GrantState("x", GrantKind.LOCK);
    States.Post<LockMessage> post = (to, message) -> sent.add(message.kind() + " " + to);
    state.acquire(NOW, new GrantRequest("x", "a", 1, TTL, 1, true), post);
    GrantNews before = GrantNews.of("a", state);
    before.sendReminders(state, post);
    assertThat(sent).isEmpty();
    state.forceRelease(NOW, 0, (to, message) -> {});
    before.sendReminders(state, post);
    assertThat(sent).containsExactly("TAKEN a");
    state.acquire(NOW, new GrantRequest("x", "a", 2, TTL, 1, true), post);
    before.sendReminders(state, post);
    assertThat(sent).as("it has another grant").containsExactly("TAKEN a", "TAKEN a");
  }

  @Test
  void holderLearnsThatItIsWantedAndWaiterThatItIsServed() {
    GrantState state = new GrantState("x", GrantKind.PERMIT);
    States.Post<LockMessage> post = (to, message) -> sent.add(message.kind() + " " + to);
    state.acquire(NOW, request("a", 2, true), post);
    assertThat(concernedUntil(state, "a")).isEqualTo(NOW + TTL);
    assertThat(isWaiting(state, "a")).isFalse();
    assertThat(concernedUntil(state, "b")).isZero();
    assertThat(reminded(state, "a")).isEmpty();
    state.acquire(NOW, request("b", 1, true), post);
    assertThat(concernedUntil(state, "b")).isEqualTo(NOW + LockProtocol.HEARTBEAT_MICROS);
    assertThat(isWaiting(state, "b")).isTrue();
    assertThat(sent).containsExactly("WANTED a");
    assertThat(reminded(state, "a")).containsExactly("WANTED a");
    assertThat(reminded(state, "b")).isEmpty();
    state.renew(NOW, "a", 1, TTL);
    assertThat(reminded(state, "a")).as("told anew for the next who wants it").isEmpty();
    state.release(NOW, "a", 1, 0, post);
    assertThat(sent).containsExactly("WANTED a", "GRANTED b");
    assertThat(concernedUntil(state, "a")).isZero();
    assertThat(isWaiting(state, "b")).as("it is served").isFalse();
    assertThat(reminded(state, "b")).containsExactly("GRANTED b");
    state.acquire(NOW, request("b", 1, true), post);
    assertThat(reminded(state, "b")).as("it was taken up").isEmpty();
    assertThat(concernedUntil(state, "b")).isEqualTo(NOW + TTL);
  }

  @Test
  void waiterLearnsThatTheLatchIsOpen() {
    LatchState state = new LatchState();
    assertThat(state.isOpen()).isTrue();
    state.trySet(NOW, "a", 1, 1, TTL);
    state.look(NOW, "b");
    state.look(NOW, "");
    assertThat(state.isOpen()).isFalse();
    assertThat(state.concernedUntil("b")).isEqualTo(NOW + LatchState.WAITER_MICROS);
    assertThat(state.concernedUntil("a")).isZero();
    state.countDown(NOW, "a", 2, 1, sent::add);
    assertThat(sent).containsExactly("b");
    assertThat(state.isOpen()).isTrue();
    assertThat(state.concernedUntil("b")).as("told once").isZero();
  }

  @Test
  void callerLearnsThatItMayMoveUp() {
    QueueState state = new QueueState();
    List<QueueRequest> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      QueueRequest caller = new QueueRequest("l", "k", i < 3 ? "a" : "b", i, 1, 1_000_000, 9, TTL);
      callers.add(caller);
      state.enter(NOW, caller);
    }
    QueueState.Post post = (to, ticket) -> sent.add(to + " " + ticket);
    assertThat(state.concernedUntil("a")).isEqualTo(NOW + 2_000_000);
    assertThat(state.concernedUntil("c")).isZero();
    assertThat(moves(state)).isEmpty();
    state.leave(NOW, callers.get(1), post);
    assertThat(sent).containsExactly("a 2");
    assertThat(moves(state)).containsExactly("a 2");
    assertThat(moves(state)).as("looking changes nothing").containsExactly("a 2");
    state.advance(NOW + 1, callers.get(2), post);
    assertThat(sent).containsExactly("a 2", "b 3");
    assertThat(moves(state)).containsExactly("b 3");
    state.advance(NOW + 1, callers.get(3), post);
    assertThat(moves(state)).isEmpty();
  }

  private static List<String> moves(QueueState state) {
    List<String> found = new ArrayList<>();
    for (String client : List.of("a", "b")) {
      state.remind(client, (to, ticket) -> found.add(to + " " + ticket));
    }
    return found;
  }
}
