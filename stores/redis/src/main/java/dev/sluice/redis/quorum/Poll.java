package dev.sluice.redis.quorum;

import dev.sluice.NoQuorumException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One request to all nodes of a quorum in parallel. It is decided as soon as the replies that have
 * come leave no doubt. Once a majority has answered, it does not wait for slow nodes. Safe for use
 * by many threads.
 */
final class Poll<V, R> {

  /** The time for which a majority waits for the other nodes before it decides without them. */
  static final long GRACE_NANOS = 100_000_000;

  private final String verb;
  private final List<? extends QuorumPeer> peers;
  private final long startedAt = System.nanoTime();

  /** Returns the decision, or null while it is open; must decide if no answer is pending. */
  private final Function<Poll<V, R>, @Nullable R> rule;

  private final CompletableFuture<R> decision = new CompletableFuture<>();
  // guarded by this: an answer, or a Throwable, or null
  private final @Nullable Object[] answers;
  private int answered;
  private int replied;
  private boolean decided;
  private boolean closing;

  Poll(String verb, List<? extends QuorumPeer> peers, Function<Poll<V, R>, @Nullable R> rule) {
    this.verb = verb;
    this.peers = peers;
    this.rule = rule;
    this.answers = new Object[peers.size()];
  }

  /** Sends requests to the chosen nodes; the others count as failed. */
  CompletableFuture<R> ask(
      Predicate<QuorumPeer> whom, Function<QuorumPeer, CompletionStage<V>> question) {
    for (int i = 0; i < answers.length; i++) {
      int place = i;
      QuorumPeer peer = peers.get(i);
      if (!whom.test(peer)) {
        take(place, null, new IllegalStateException("was not asked"));
        continue;
      }
      question.apply(peer).whenComplete((vote, failure) -> take(place, vote, failure));
    }
    return decision;
  }

  private void take(int place, @Nullable V vote, @Nullable Throwable failure) {
    R outcome = null;
    Throwable broken = null;
    synchronized (this) {
      answers[place] = vote != null ? vote : unwrap(failure);
      answered++;
      replied += vote != null ? 1 : 0;
      if (decided) {
        return;
      }
      try {
        outcome = rule.apply(this);
      } catch (RuntimeException e) {
        broken = e;
      }
      decided = outcome != null || broken != null;
    }
    finish(outcome, broken);
  }

  private static Throwable unwrap(@Nullable Throwable failure) {
    if (failure instanceof CompletionException && failure.getCause() != null) {
      return failure.getCause();
    }
    return failure == null ? new NullPointerException("no answer") : failure;
  }

  /**
   * Ends the round without the pending answers after their timeout.
   *
   * @param patienceNanos how long less than a majority of answers is waited on
   */
  void look(long now, long patienceNanos) {
    R outcome = null;
    Throwable broken = null;
    synchronized (this) {
      long waited = now - startedAt;
      if (decided || waited < (replied >= majority() ? GRACE_NANOS : patienceNanos)) {
        return;
      }
      closing = true;
      try {
        outcome = rule.apply(this);
      } catch (RuntimeException e) {
        broken = e;
      }
      decided = true;
    }
    finish(outcome, broken);
  }

  private void finish(@Nullable R outcome, @Nullable Throwable broken) {
    if (outcome != null) {
      decision.complete(outcome);
    } else if (broken != null) {
      decision.completeExceptionally(broken);
    }
  }

  boolean isDecided() {
    return decision.isDone();
  }

  // ---- for rules, which run under the monitor, and for what follows the decision ----

  int size() {
    return answers.length;
  }

  int majority() {
    return answers.length / 2 + 1;
  }

  /** The number of pending answers. */
  synchronized int pending() {
    if (closing || replied >= majority() && onlySlowOnesAreMissing()) {
      return 0;
    }
    return answers.length - answered;
  }

  private boolean onlySlowOnesAreMissing() {
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == null && !peers.get(i).isSlow()) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("unchecked") // what is no failure is an answer
  synchronized @Nullable V vote(int place) {
    Object answer = answers[place];
    return answer == null || answer instanceof Throwable ? null : (V) answer;
  }

  synchronized @Nullable Throwable failure(int place) {
    return answers[place] instanceof Throwable failure ? failure : null;
  }

  int count(Predicate<V> which) {
    int count = 0;
    for (int i = 0; i < answers.length; i++) {
      V vote = vote(i);
      count += vote != null && which.test(vote) ? 1 : 0;
    }
    return count;
  }

  void each(BiConsumer<QuorumPeer, @Nullable V> action) {
    for (int i = 0; i < answers.length; i++) {
      action.accept(peers.get(i), vote(i));
    }
  }

  /** The exception for too few answers of members. */
  NoQuorumException noQuorum(String quorum, Predicate<V> isMember) {
    StringBuilder why = new StringBuilder();
    Throwable cause = null;
    for (int i = 0; i < answers.length; i++) {
      V vote = vote(i);
      if (vote != null && isMember.test(vote)) {
        continue;
      }
      Throwable failure = failure(i);
      cause = cause == null ? failure : cause;
      why.append(why.isEmpty() ? "" : "; ");
      if (failure != null) {
        why.append(failure.getMessage());
      } else {
        why.append(peers.get(i).describe())
            .append(vote != null ? " is not a member at present" : " did not answer yet");
      }
    }
    return new NoQuorumException(
        quorum
            + ": "
            + count(isMember)
            + " of "
            + size()
            + " nodes answered '"
            + verb
            + "' as members, "
            + majority()
            + " are needed; "
            + why,
        cause);
  }
}
