package dev.sluice.redis.quorum;

import dev.sluice.lock.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of a lock on which a majority of nodes agrees. */
final class QuorumView {
  private QuorumView() {}

  /**
   * The lock as a majority sees it; null while a node is waited for that is not slow, so that two
   * looks at the same lock agree.
   */
  static @Nullable LockInfo of(String name, String quorum, Poll<NodeView, LockInfo> poll) {
    if (poll.pending() > 0) {
      return null;
    }
    Map<String, List<NodeView>> byHolder = new HashMap<>();
    List<NodeView> all = new ArrayList<>();
    for (int i = 0; i < poll.size(); i++) {
      NodeView view = poll.vote(i);
      if (view != null && view.member()) {
        all.add(view);
        byHolder
            .computeIfAbsent(view.client() + " " + view.attempt(), who -> new ArrayList<>())
            .add(view);
      }
    }
    List<NodeView> agreed =
        byHolder.values().stream()
            .filter(views -> views.size() >= poll.majority())
            .findFirst()
            .orElse(List.of());
    if (all.size() < poll.majority()) {
      throw poll.noQuorum(quorum, NodeView::member);
    }
    boolean held = !agreed.isEmpty() && agreed.get(0).isHeld();
    return new LockInfo(
        name,
        held ? Optional.of(holder(agreed, poll.majority())) : Optional.empty(),
        waiters(all, held ? agreed.get(0).client() : "-"),
        all.stream().mapToLong(NodeView::fence).max().orElse(0));
  }

  private static LockInfo.Holder holder(List<NodeView> agreed, int majority) {
    NodeView any = agreed.get(0);
    long token = agreed.stream().mapToLong(NodeView::token).max().orElse(0);
    long since = agreed.stream().mapToLong(NodeView::sinceMicros).min().orElse(0);
    long[] times = agreed.stream().mapToLong(NodeView::remainingMicros).sorted().toArray();
    return new LockInfo.Holder(
        any.client(),
        any.attempt(),
        token,
        Instant.EPOCH.plus(since, ChronoUnit.MICROS),
        Duration.of(times[times.length - majority], ChronoUnit.MICROS));
  }

  /** The waiters known to any node, in the order of their earliest arrival. */
  private static List<LockInfo.Waiter> waiters(List<NodeView> views, String holder) {
    Map<String, Long> arrivals = new HashMap<>();
    Map<String, Long> attempts = new HashMap<>();
    for (NodeView view : views) {
      for (int i = 0; i < view.waiters().size(); i++) {
        LockInfo.Waiter waiter = view.waiters().get(i);
        arrivals.merge(waiter.client(), view.arrivals().get(i), Math::min);
        attempts.merge(waiter.client(), waiter.attempt(), Math::max);
      }
    }
    arrivals.remove(holder); // a node that was late to hear of the grant
    return arrivals.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .map(
            entry -> new LockInfo.Waiter(entry.getKey(), attempts.getOrDefault(entry.getKey(), 0L)))
        .toList();
  }
}
