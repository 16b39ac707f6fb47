package dev.sluice.redis.quorum;

import static dev.sluice.redis.quorum.Vote.Kind.ENTERED;
import static dev.sluice.redis.quorum.Vote.Kind.NO;
import static dev.sluice.redis.quorum.Vote.Kind.NOT_MEMBER;
import static dev.sluice.redis.quorum.Vote.Kind.OVER;
import static dev.sluice.redis.quorum.Vote.Kind.YES;

import dev.sluice.ForeignDataException;
import dev.sluice.NoQuorumException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.LockInfo;
import dev.sluice.redis.connection.Timer;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rounds of a quorum: the client's decisions from the nodes' answers. */
public final class QuorumLocks {
  /*
   * Protocol P2 of docs/protocols.md. Each node has a register per name that only rises, the
   * fence, and an entry that may vanish at any moment. A token is ours when a majority raised
   * their registers to it for this very round; so two rounds never have the same token, and a
   * round that begins after another one has ended has a higher one, for any clock skew. The
   * entries keep two clients from working at the same time while clocks run alike.
   *
   * A round that fails is released at every node that may have heard of it, and its attempt is
   * never used again: the release leaves a tombstone that a late message finds.
   */
  private static final int MANY = 10_000;

  /** The share of the request timeout after which a missing majority is reported. */
  private static final int PATIENCE = 4;

  private final String describe;
  private final List<? extends QuorumPeer> peers;
  private final long patienceNanos;
  private final LongSupplier clockMicros;

  /** Rounds under way; ended ones are removed at the next look. */
  private final ConcurrentLinkedQueue<Poll<?, ?>> open = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /** The highest tokens seen, by name. */
  private final ConcurrentHashMap<String, Long> seen = new ConcurrentHashMap<>();

  public QuorumLocks(
      String describe,
      List<? extends QuorumPeer> peers,
      Timer timer,
      Duration requestTimeout,
      LongSupplier clockMicros) {
    this.describe = describe;
    this.peers = peers;
    this.clockMicros = clockMicros;
    this.patienceNanos = Math.max(Poll.GRACE_NANOS, requestTimeout.toNanos() / PATIENCE);
    lookLater(timer);
  }

  /** Shared, because a timer for each round would cost more than the round. */
  private void lookLater(Timer timer) {
    timer.in(
        Poll.GRACE_NANOS / 4,
        () -> {
          if (!closed) {
            long now = System.nanoTime();
            open.removeIf(Poll::isDecided);
            open.forEach(poll -> poll.look(now, patienceNanos));
            lookLater(timer);
          }
        });
  }

  public void close() {
    closed = true;
  }

  private <V, R> CompletableFuture<R> ask(
      Poll<V, R> poll,
      Predicate<QuorumPeer> whom,
      Function<QuorumPeer, CompletionStage<V>> question) {
    CompletableFuture<R> decision = poll.ask(whom, question);
    if (!decision.isDone()) {
      open.add(poll);
    }
    return decision;
  }

  private static boolean isMember(Vote vote) {
    return vote.kind() != NOT_MEMBER;
  }

  // ---- acquire ----

  /** The result of round 1. */
  private enum Outcome {
    GRANTED,
    /** A majority has the entry, but not the token. */
    TOO_LOW,
    REFUSED
  }

  public CompletableFuture<GrantReply> acquire(GrantRequest request) {
    long clock = clockMicros.getAsLong();
    long token = Math.max(clock, seen.getOrDefault(request.name(), 0L) + 1);
    int block = block(request, token, clock);
    Poll<Vote, Outcome> poll = new Poll<>("acquire", peers, QuorumLocks::outcome);
    return ask(poll, peer -> true, peer -> peer.acquire(request, token, block))
        .thenCompose(
            outcome -> {
              note(request.name(), poll);
              return switch (outcome) {
                case GRANTED -> CompletableFuture.completedFuture(granted(poll, token, block));
                case TOO_LOW -> secondRound(request, poll, block);
                case REFUSED -> {
                  giveUp(request, poll);
                  yield refused(poll);
                }
              };
            });
  }

  private static @Nullable Outcome outcome(Poll<Vote, Outcome> poll) {
    int granted = poll.count(vote -> vote.kind() == YES);
    if (granted >= poll.majority()) {
      return Outcome.GRANTED;
    }
    int entered = granted + poll.count(vote -> vote.kind() == ENTERED);
    int pending = poll.pending();
    if (entered + pending < poll.majority()) {
      return Outcome.REFUSED;
    }
    boolean tokenIsOutOfReach = granted + pending < poll.majority();
    return entered >= poll.majority() && tokenIsOutOfReach ? Outcome.TOO_LOW : null;
  }

  /** Tokens lead the clock by a bounded time. */
  private static int block(GrantRequest request, long token, long clock) {
    long room = LockProtocol.MAX_LEAD_MICROS - (token - clock);
    int block = (int) Math.max(1, Math.min(request.block(), room));
    if (token + block - 1 > LockProtocol.MAX_TOKEN) {
      throw new ForeignDataException(
          "lock "
              + Names.quoted(request.name())
              + " has no fencing token left: the last one is "
              + (token - 1)
              + "; use another name",
          null);
    }
    return block;
  }

  /** The only round: with a token above all seen, it suffices unless something expired early. */
  private CompletableFuture<GrantReply> secondRound(
      GrantRequest request, Poll<Vote, Outcome> first, int wanted) {
    long clock = clockMicros.getAsLong();
    long token = Math.max(clock, seen.getOrDefault(request.name(), 0L) + 1);
    int block = Math.min(wanted, block(request, token, clock));
    boolean[] entered = new boolean[peers.size()];
    for (int i = 0; i < entered.length; i++) {
      Vote vote = first.vote(i);
      entered[i] = vote != null && (vote.kind() == YES || vote.kind() == ENTERED);
    }
    Poll<Vote, Outcome> poll =
        new Poll<>(
            "raise",
            peers,
            votes -> {
              int granted = votes.count(vote -> vote.kind() == YES);
              if (granted >= votes.majority()) {
                return Outcome.GRANTED;
              }
              return granted + votes.pending() < votes.majority() ? Outcome.REFUSED : null;
            });
    return ask(
            poll, peer -> entered[peers.indexOf(peer)], peer -> peer.raise(request, token, block))
        .thenCompose(
            outcome -> {
              note(request.name(), poll);
              if (outcome == Outcome.GRANTED) {
                return CompletableFuture.completedFuture(granted(poll, token, block));
              }
              giveUp(request, first);
              // an entry that expired early, or a client that raised further: both will pass
              return poll.count(vote -> vote.kind() != YES) > 0
                  ? CompletableFuture.completedFuture(new GrantReply.Busy(0))
                  : CompletableFuture.failedFuture(poll.noQuorum(describe, QuorumLocks::isMember));
            });
  }

  private static GrantReply granted(Poll<Vote, Outcome> poll, long token, int block) {
    return new GrantReply.Granted(token, block, remaining(poll), waiting(poll));
  }

  /** The time at which the first entry of a majority ends; later ones exclude no client. */
  private static long remaining(Poll<Vote, ?> poll) {
    long[] times = new long[poll.size()];
    for (int i = 0; i < times.length; i++) {
      Vote vote = poll.vote(i);
      times[i] = vote != null && vote.kind() == YES ? vote.remainingMicros() : 0;
    }
    Arrays.sort(times);
    return times[times.length - poll.majority()];
  }

  private static int waiting(Poll<Vote, ?> poll) {
    int most = 0;
    for (int i = 0; i < poll.size(); i++) {
      Vote vote = poll.vote(i);
      most = Math.max(most, vote == null ? 0 : vote.waiting());
    }
    return most;
  }

  private CompletableFuture<GrantReply> refused(Poll<Vote, Outcome> poll) {
    if (poll.count(QuorumLocks::isMember) < poll.majority()) {
      return CompletableFuture.failedFuture(poll.noQuorum(describe, QuorumLocks::isMember));
    }
    if (poll.count(vote -> vote.kind() == OVER) > 0) {
      return CompletableFuture.completedFuture(new GrantReply.Over());
    }
    long remaining = 0;
    int busy = 0;
    for (int i = 0; i < poll.size(); i++) {
      Vote vote = poll.vote(i);
      if (vote != null && vote.kind() == NO) {
        busy++;
        remaining = Math.max(remaining, vote.remainingMicros());
      }
    }
    // where the votes are split there is no holder: an early retry may succeed
    long told = busy >= poll.majority() ? remaining : 0;
    return CompletableFuture.completedFuture(new GrantReply.Busy(told));
  }

  /** Ends the attempt wherever it was, or may yet be, entered. */
  private void giveUp(GrantRequest request, Poll<Vote, Outcome> poll) {
    for (int i = 0; i < poll.size(); i++) {
      Vote vote = poll.vote(i);
      Throwable failure = poll.failure(i);
      boolean refused = vote != null && vote.kind() != YES && vote.kind() != ENTERED;
      boolean notSent = failure != null && !(failure instanceof OutcomeUnknownException);
      if (!refused && !notSent) {
        peers.get(i).release(request.name(), request.client(), request.attempt(), request.queue());
      }
    }
  }

  private void note(String name, Poll<Vote, ?> poll) {
    long highest = 0;
    for (int i = 0; i < poll.size(); i++) {
      Vote vote = poll.vote(i);
      highest = Math.max(highest, vote == null ? 0 : vote.fence());
    }
    if (seen.size() >= MANY) {
      seen.clear();
    }
    seen.merge(name, highest, Math::max);
  }

  // ---- renew, release ----

  public CompletableFuture<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    Poll<Vote, RenewReply> poll =
        new Poll<>(
            "renew",
            peers,
            votes -> {
              if (votes.count(vote -> vote.kind() == YES) >= votes.majority()) {
                return new RenewReply.Renewed(remaining(votes), waiting(votes));
              }
              int gone = votes.count(vote -> vote.kind() != YES);
              if (gone > votes.size() - votes.majority()) {
                return new RenewReply.Gone();
              }
              return orNoQuorum(votes);
            });
    return ask(
        poll,
        peer -> true,
        peer -> peer.renew(attempt.name(), attempt.client(), attempt.attempt(), ttlMicros));
  }

  private <R> @Nullable R orNoQuorum(Poll<Vote, R> votes) throws NoQuorumException {
    if (votes.pending() == 0) {
      throw votes.noQuorum(describe, QuorumLocks::isMember);
    }
    return null;
  }

  public CompletableFuture<Boolean> release(GrantAttempt attempt) {
    Poll<Vote, Boolean> poll =
        new Poll<>(
            "release",
            peers,
            votes -> {
              int freed = votes.count(vote -> vote.kind() == YES);
              if (freed >= votes.majority()) {
                return true;
              }
              int members = votes.count(QuorumLocks::isMember);
              if (members - freed > votes.size() - votes.majority()) {
                return false;
              }
              // with a node away that had the entry, it still was ours
              return votes.pending() == 0 && members >= votes.majority()
                  ? Boolean.TRUE
                  : orNoQuorum(votes);
            });
    return ask(
        poll,
        peer -> true,
        peer -> peer.release(attempt.name(), attempt.client(), attempt.attempt(), false));
  }

  // ---- inspect ----

  public CompletableFuture<LockInfo> inspect(String name) {
    Poll<NodeView, LockInfo> poll =
        new Poll<>("inspect", peers, views -> QuorumView.of(name, describe, views));
    return ask(poll, peer -> true, peer -> peer.inspect(name));
  }
}
