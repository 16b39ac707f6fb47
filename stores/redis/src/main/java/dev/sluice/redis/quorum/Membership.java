package dev.sluice.redis.quorum;

import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.connection.Timer;
import dev.sluice.redis.quorum.QuorumLink.Memory;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Admits nodes to a quorum, and readmits them after data loss. Safe for use by many threads. */
public final class Membership implements RedisPeer.Home {
  /*
   * A node that restarted, or was emptied, has forgotten which tokens it let through. Rounds that
   * it had let through may still succeed while their leases can be alive. So: leave a mark on it;
   * wait until every round that was open before the mark is over, one longest lease; then learn
   * the highest token that a majority of members ever stored; then, if the mark still stands,
   * serve from above it. Each part in this order: to learn before the wait misses the rounds that
   * end during it.
   *
   * Where no majority of members is left to learn from, all nodes together found the quorum
   * again: after the same wait, from above all that is left in their records and above the clock.
   * Tokens then grow only if the clocks of the clients differ by less than that wait, and no
   * longer for any clock. That is also how the first one begins.
   */
  private static final System.Logger LOG = System.getLogger("dev.sluice.redis");
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A node that wants to join. */
  private record Candidate(
      RedisPeer peer, QuorumLink link, String joining, boolean known, long seenAt) {}

  private final String describe;
  private final QuorumOptions settings;
  private final Timer timer;
  private final LongSupplier clockMicros;
  private final List<RedisPeer> peers = new ArrayList<>();
  private final ConcurrentHashMap<RedisPeer, QuorumLink> busy = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<RedisPeer, Candidate> candidates = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<RedisPeer, CompletableFuture<Void>> joinRequests =
      new ConcurrentHashMap<>();
  private volatile boolean closed;

  public Membership(
      String describe, QuorumOptions settings, Timer timer, LongSupplier clockMicros) {
    this.describe = describe;
    this.settings = settings;
    this.timer = timer;
    this.clockMicros = clockMicros;
  }

  /** Sets the members of the quorum, before any of them connects. */
  public void of(List<RedisPeer> all) {
    peers.addAll(all);
  }

  @Override
  public void opened(RedisPeer peer, QuorumLink link) {
    lookAfter(peer, link);
  }

  @Override
  public void notMember(RedisPeer peer, QuorumLink link) {
    lookAfter(peer, link);
  }

  @Override
  public @Nullable RedisPeer sameServer(RedisPeer peer, String runId) {
    for (RedisPeer other : peers) {
      QuorumLink link = other.link();
      if (other != peer && link != null && link.runId.equals(runId)) {
        return other;
      }
    }
    return null;
  }

  /** Completes when all connected nodes were asked, and those that may serve immediately do. */
  public CompletableFuture<Void> settled() {
    return CompletableFuture.allOf(joinRequests.values().toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done ->
                CompletableFuture.allOf(
                    joinRequests.values().toArray(CompletableFuture<?>[]::new)));
  }

  private void lookAfter(RedisPeer peer, QuorumLink link) {
    if (closed || busy.put(peer, link) == link) {
      return; // under way
    }
    joinRequests.put(peer, requestJoin(peer, link));
  }

  private CompletableFuture<Void> requestJoin(RedisPeer peer, QuorumLink link) {
    byte[] id = new byte[16];
    RANDOM.nextBytes(id);
    String mine = Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    return link.requestJoin(mine, settings.isDurable())
        .handle(
            (joinReply, failure) -> {
              if (joinReply == null) {
                LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> peer.describe() + " could not be asked for its membership: " + failure);
                again(peer, link);
                return CompletableFuture.<Void>completedFuture(null);
              }
              if (joinReply.member()) {
                done(peer, link);
                return CompletableFuture.<Void>completedFuture(null);
              }
              Candidate candidate =
                  new Candidate(
                      peer, link, joinReply.joining(), joinReply.known(), System.nanoTime());
              candidates.put(peer, candidate);
              return settings.isFresh() && allAreNew() ? foundAtOnce() : waitFor(candidate);
            })
        .thenCompose(next -> next);
  }

  private void done(RedisPeer peer, QuorumLink link) {
    candidates.remove(peer);
    busy.remove(peer, link);
  }

  private void again(RedisPeer peer, QuorumLink link) {
    timer.in(
        RETRY_NANOS,
        () -> {
          if (!closed && peer.link() == link) {
            requestJoin(peer, link);
          } else {
            busy.remove(peer, link);
          }
        });
  }

  private boolean allAreNew() {
    return candidates.size() == peers.size()
        && candidates.values().stream()
            .allMatch(each -> !each.known && each.peer.link() == each.link);
  }

  private CompletableFuture<Void> foundAtOnce() {
    return CompletableFuture.allOf(
        candidates.values().stream().map(each -> letIn(each, 0)).toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> waitFor(Candidate candidate) {
    long wait = waitNanos(settings.maxTtl().toNanos() / 1000);
    LOG.log(
        settings.isFresh() ? System.Logger.Level.DEBUG : System.Logger.Level.INFO,
        () ->
            candidate.peer.describe()
                + " is no member of the "
                + describe
                + ": it stays out for "
                + TimeUnit.NANOSECONDS.toMillis(wait)
                + "ms, then learns from the others");
    letInAfter(candidate, wait, wait);
    return CompletableFuture.completedFuture(null);
  }

  private void letInAfter(Candidate candidate, long delay, long wait) {
    timer.in(
        delay,
        () -> {
          if (!closed && candidates.get(candidate.peer) == candidate) {
            letIn(candidate, wait);
          }
        });
  }

  /** After the wait, learns the promised tokens, then serves. */
  private CompletableFuture<Void> letIn(Candidate candidate, long waited) {
    List<CompletableFuture<@Nullable Memory>> asked = new ArrayList<>();
    for (RedisPeer peer : peers) {
      QuorumLink link = peer.link();
      asked.add(
          link == null
              ? CompletableFuture.completedFuture(null)
              : link.learn().exceptionally(failure -> null));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done -> letIn(candidate, waited, asked.stream().map(CompletableFuture::join).toList()));
  }

  private CompletableFuture<Void> letIn(
      Candidate candidate, long waited, List<@Nullable Memory> memories) {
    int members = 0;
    int answers = 0;
    long floor = 0;
    long longest = 0;
    for (int i = 0; i < peers.size(); i++) {
      Memory memory = memories.get(i);
      if (memory != null) {
        boolean other = peers.get(i) != candidate.peer;
        members += memory.member() && other ? 1 : 0;
        answers++;
        floor = Math.max(floor, memory.highest());
        longest = Math.max(longest, memory.maxTtlMicros());
      }
    }
    long wait = waitNanos(longest);
    if (waited > 0 && wait > waited && System.nanoTime() - candidate.seenAt < wait) {
      letInAfter(candidate, wait - (System.nanoTime() - candidate.seenAt), wait);
      return CompletableFuture.completedFuture(null);
    }
    boolean learnt = members >= peers.size() / 2 + 1;
    if (!learnt && answers < peers.size()) {
      letInAfter(candidate, RETRY_NANOS, waited); // neither a majority to learn from, nor all
      return CompletableFuture.completedFuture(null);
    }
    if (!learnt) {
      floor = Math.max(floor, clockMicros.getAsLong());
      LOG.log(
          waited > 0 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
          () ->
              "the "
                  + describe
                  + " has no majority of members to learn from; "
                  + candidate.peer.describe()
                  + " starts over, with tokens above the clock");
    }
    long maxTtl = longest > 0 ? longest : settings.maxTtl().toNanos() / 1000;
    return candidate
        .link
        .join(candidate.joining, floor, maxTtl)
        .handle(
            (joined, failure) -> {
              if (joined != null && joined) {
                LOG.log(
                    System.Logger.Level.INFO,
                    () -> candidate.peer.describe() + " is a member of the " + describe);
                done(candidate.peer, candidate.link);
              } else {
                candidates.remove(candidate.peer, candidate);
                again(candidate.peer, candidate.link); // emptied meanwhile, or it did not answer
              }
              return null;
            });
  }

  public void close() {
    closed = true;
  }

  /** The time for which a node stays out: the longest lease, plus the clock drift over it. */
  private static long waitNanos(long maxTtlMicros) {
    return maxTtlMicros * 1010 + 5_000_000;
  }
}
