package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.RenewReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random histories against rules that are written down apart from the decisions. */
class PermitHistoriesTest {
  private static final long START = 1_800_000_000_000_000L;
  private static final int STEPS = 600;

  /** A ticket as an observer of the replies sees it. */
  private record Waiting(long attempt, int least, boolean first, long deadAt) {}

  private record Grant(String client, long attempt) {}

  private Random random = new Random();
  private GrantState state = new GrantState("x", GrantKind.PERMIT);
  private long now;
  private int capacity;
  private boolean resized;
  private boolean askedFirst;
  private long highest;
  private final Map<String, Waiting> queue = new LinkedHashMap<>();
  private final Map<String, Long> attempts = new HashMap<>();
  private final Set<Grant> ended = new HashSet<>();
  private Map<Grant, PermitInfo.Holder> before = Map.of();

  @Test
  void everyHistoryKeepsTheRules() {
    for (long seed = 0; seed < 400; seed++) {
      try {
        history(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void history(long seed) {
    random = new Random(seed);
    state = new GrantState("x", GrantKind.PERMIT);
    now = START;
    capacity = 1 + random.nextInt(5);
    resized = false;
    highest = 0;
    queue.clear();
    attempts.clear();
    ended.clear();
    for (int i = 0; i < STEPS; i++) {
      now += random.nextInt(4) == 0 ? random.nextInt(900_000) : random.nextInt(2000);
      before = holders();
      step();
      check();
    }
  }

  private Map<Grant, PermitInfo.Holder> holders() {
    Map<Grant, PermitInfo.Holder> all = new LinkedHashMap<>();
    for (PermitInfo.Holder holder : state.inspect(now).holders()) {
      all.put(new Grant(holder.client(), holder.attempt()), holder);
    }
    return all;
  }

  private void step() {
    String client = "c" + random.nextInt(5);
    int dice = random.nextInt(100);
    if (dice < 50) {
      acquire(client);
    } else if (dice < 55) {
      repeat();
    } else if (dice < 85) {
      release(client);
    } else if (dice < 97) {
      renew(client);
    } else {
      capacity = 1 + random.nextInt(5);
      resized = true;
      state.resize(now, capacity, (to, message) -> {});
      served(null);
    }
  }

  private void acquire(String client) {
    Waiting mine = queue.get(client);
    boolean poll = mine != null && random.nextInt(5) > 0 && mine.least <= capacity;
    long attempt = poll ? mine.attempt : attempts.merge(client, 1L, Long::sum);
    int least = poll ? mine.least : 1 + random.nextInt(capacity);
    boolean first = poll ? mine.first : random.nextInt(4) == 0;
    boolean wantsQueue = poll || random.nextInt(4) > 0;
    int most = least + random.nextInt(capacity - least + 1);
    boolean mistaken = random.nextInt(60) == 0 && state.inspect(now).capacity() > 0;
    int asked = mistaken ? capacity + 1 : capacity;
    GrantRequest request =
        new GrantRequest(
            "x",
            client,
            attempt,
            1 + random.nextInt(3_000_000),
            asked,
            least,
            most,
            first,
            1 + random.nextInt(9),
            wantsQueue);
    if (mine != null && mine.attempt < attempt) {
      queue.remove(client);
    }
    askedFirst = first;
    GrantReply reply;
    try {
      reply = state.acquire(now, request, (to, message) -> {});
    } catch (WrongCapacityException e) {
      assertThat(e.settled()).isEqualTo(capacity).isNotEqualTo(asked);
      queue.remove(client);
      return;
    }
    assertThat(ended)
        .as("an ended attempt got an answer")
        .doesNotContain(new Grant(client, attempt));
    if (reply instanceof GrantReply.Granted granted) {
      assertThat(reply.units()).isBetween(least, most);
      assertThat(granted.block()).isBetween(1, request.block());
      served(client);
      queue.remove(client);
    } else if (reply instanceof GrantReply.Queued queued) {
      assertThat(wantsQueue).isTrue();
      served(client);
      sweep(client);
      queue.put(client, new Waiting(attempt, least, first, now + HEARTBEAT_MICROS));
      assertThat(queued.position()).isEqualTo(order().indexOf(client));
    } else {
      assertThat(reply).isInstanceOf(GrantReply.Busy.class);
      served(client);
      sweep(client);
      assertThat(free() >= least && comesFirst(first)).as("refused what was free").isFalse();
    }
  }

  /** An acquire that was granted arrives once more. */
  private void repeat() {
    for (Map.Entry<Grant, PermitInfo.Holder> each : before.entrySet()) {
      Grant grant = each.getKey();
      GrantReply reply =
          state.acquire(
              now,
              new GrantRequest(
                  "x", grant.client, grant.attempt, 1000, capacity, 1, 1, false, 1, true),
              (to, message) -> {});
      assertThat(reply.units()).isEqualTo(each.getValue().permits());
      assertThat(((GrantReply.Granted) reply).token()).isEqualTo(each.getValue().token());
    }
    assertThat(holders().keySet()).isEqualTo(before.keySet());
  }

  private boolean comesFirst(boolean first) {
    return order().stream().noneMatch(c -> first ? isFirst(c) : true);
  }

  private boolean isFirst(String client) {
    Waiting waiting = queue.get(client);
    return waiting != null && waiting.first;
  }

  private void release(String client) {
    long last = attempts.getOrDefault(client, 0L);
    if (last == 0) {
      return;
    }
    long attempt = Math.max(1, last - random.nextInt(3));
    int keep = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
    Grant grant = new Grant(client, attempt);
    boolean live = state.release(now, client, attempt, keep, (to, message) -> {});
    assertThat(live).isEqualTo(before.containsKey(grant));
    if (keep == 0) {
      ended.add(grant);
      Waiting mine = queue.get(client);
      if (mine != null && mine.attempt <= attempt) {
        queue.remove(client);
      }
      assertThat(
              state.acquire(
                  now,
                  new GrantRequest("x", client, attempt, 1, capacity, 1, 1, false, 1, true),
                  (to, message) -> {}))
          .as("an acquire that arrives late")
          .isEqualTo(new GrantReply.Over());
    }
    Map<Grant, PermitInfo.Holder> after = holders();
    before.forEach(
        (other, holder) -> {
          if (!other.equals(grant)) {
            assertThat(after).as("a grant of somebody else").containsKey(other);
            assertThat(after.get(other).permits()).isEqualTo(holder.permits());
          } else if (keep > 0) {
            assertThat(after.get(other).permits()).isEqualTo(Math.min(keep, holder.permits()));
          }
        });
    served(null);
  }

  private void renew(String client) {
    long attempt = Math.max(1, attempts.getOrDefault(client, 1L) - random.nextInt(3));
    Grant grant = new Grant(client, attempt);
    RenewReply reply = state.renew(now, client, attempt, 1 + random.nextInt(3_000_000));
    assertThat(reply instanceof RenewReply.Renewed).isEqualTo(before.containsKey(grant));
    assertThat(holders().keySet()).isEqualTo(before.keySet());
    if (reply instanceof RenewReply.Renewed) {
      sweep(null);
    }
  }

  /** The dead at the head are gone; those behind a live one keep their place until then. */
  private void sweep(@Nullable String caller) {
    for (String client : order()) {
      if (client.equals(caller) || queue.get(client).deadAt > now) {
        return;
      }
      queue.remove(client);
    }
  }

  /** Clients that wait, in order. */
  private List<String> order() {
    List<String> order = new ArrayList<>();
    for (boolean first : new boolean[] {true, false}) {
      queue.forEach(
          (client, waiting) -> {
            if (waiting.first == first) {
              order.add(client);
            }
          });
    }
    return order;
  }

  /** Whoever got something now was the head of the queue then; the dead may be passed. */
  private void served(@Nullable String caller) {
    List<PermitInfo.Holder> news = new ArrayList<>();
    holders()
        .forEach(
            (grant, holder) -> {
              if (!before.containsKey(grant)) {
                news.add(holder);
              }
            });
    news.sort((a, b) -> Long.compare(a.token(), b.token()));
    for (PermitInfo.Holder holder : news) {
      assertThat(holder.token()).as("token grows").isGreaterThan(highest);
      highest = Math.max(highest, holder.token());
      sweep(holder.client());
      for (String ahead : order()) {
        if (ahead.equals(holder.client())) {
          break;
        }
        Waiting passed = queue.get(ahead);
        boolean newcomer = holder.client().equals(caller) && !queue.containsKey(caller);
        boolean mayPass = newcomer && !passed.first && askedFirst;
        assertThat(passed.deadAt <= now || mayPass)
            .as("%s passed %s", holder.client(), ahead)
            .isTrue();
      }
      queue.remove(holder.client());
    }
    highest = Math.max(highest, state.inspect(now).lastToken());
    if (caller == null) {
      sweep(null);
    }
  }

  private int free() {
    int out = holders().values().stream().mapToInt(PermitInfo.Holder::permits).sum();
    return capacity - out;
  }

  private void check() {
    if (!resized) {
      assertThat(free()).as("free units").isNotNegative();
    }
    PermitInfo info = state.inspect(now);
    assertThat(info.waiters().stream().map(PermitInfo.Waiter::client).toList())
        .isEqualTo(order().stream().filter(client -> queue.get(client).deadAt > now).toList());
    holders().values().forEach(h -> assertThat(h.remaining().toMillis()).isBetween(0L, 3_001L));
  }
}
