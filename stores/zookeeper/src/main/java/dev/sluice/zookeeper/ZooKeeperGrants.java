package dev.sluice.zookeeper;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.zookeeper.nodes.Claims;
import dev.sluice.zookeeper.nodes.KeeperFailures;
import dev.sluice.zookeeper.nodes.Nodes;
import dev.sluice.zookeeper.nodes.Session;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The operations of locks, or of semaphores and read-write locks. Safe for use by many threads. */
final class ZooKeeperGrants implements GrantBackend {
  private final Claims claims;

  /** True if names have one unit. */
  private final boolean areLocks;

  private ZooKeeperGrants(Claims claims, boolean areLocks) {
    this.claims = claims;
    this.areLocks = areLocks;
  }

  static ZooKeeperGrants ofLocks(Claims claims) {
    return new ZooKeeperGrants(claims, true);
  }

  static ZooKeeperGrants ofPermits(Claims claims) {
    return new ZooKeeperGrants(claims, false);
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    Claims.Terms terms =
        new Claims.Terms(
            request.capacity(),
            request.least(),
            request.most(),
            request.ttlMicros(),
            request.block(),
            request.queue());
    Claims.PendingGrant pending =
        claims.acquire(request.name(), request.client(), request.attempt(), terms);
    if (pending == null) {
      return CompletableFuture.completedFuture(new GrantReply.Over());
    }
    return claims
        .within(pending.reply(), "acquire " + request.name())
        .thenApply(
            reply ->
                reply instanceof GrantReply.Granted granted
                    ? new GrantReply.Granted(
                        granted.token(),
                        granted.block(),
                        granted.remainingMicros(),
                        granted.waiting(),
                        pending.claim().units())
                    : reply);
  }

  @Override
  public boolean servesWritersFirst() {
    return false;
  }

  @Override
  public boolean mayGrantShorterThanTtl() {
    return true;
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    return claims.renew(attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    return keep == 0 ? claims.release(attempt) : claims.shrink(attempt, keep);
  }

  @Override
  public Optional<Delay> delay() {
    return areLocks ? Optional.of(claims::leave) : Optional.empty();
  }

  @Override
  public Optional<Force> force() {
    return areLocks
        ? Optional.of(
            (name, token) -> claims.within(force(name, token), "force release of " + name))
        : Optional.empty();
  }

  private CompletableFuture<Optional<ForcedRelease>> force(String name, long token) {
    Session session = claims.session();
    return holder(session, name)
        .thenCompose(
            seen -> {
              LockInfo.Holder holder = seen.holder().orElse(null);
              if (holder == null || token != 0 && holder.token() != token) {
                return CompletableFuture.completedFuture(Optional.<ForcedRelease>empty());
              }
              // the last token of a grant is never handed out
              long fence = holder.token() + Nodes.TOKENS - 1;
              return session
                  .delete(claims.folder(name) + "/" + seen.queue().nodes().get(0).name())
                  .handle((done, failure) -> failure)
                  .thenCompose(
                      failure -> {
                        if (failure == null) {
                          return CompletableFuture.completedFuture(
                              Optional.of(new ForcedRelease(holder, fence)));
                        }
                        return KeeperFailures.isNoNode(failure)
                            ? force(name, token) // it was released meanwhile: who is next?
                            : CompletableFuture.failedFuture(failure);
                      });
            });
  }

  @Override
  public Optional<Resize> resize() {
    return areLocks
        ? Optional.empty()
        : Optional.of(
            (name, capacity) ->
                claims.within(resize(claims.session(), name, capacity), "resize " + name));
  }

  private CompletableFuture<Integer> resize(Session session, String name, int units) {
    String folder = claims.folder(name);
    CompletableFuture<?> synced = session.sync(folder);
    CompletableFuture<Session.Data> data = session.get(folder, null);
    return synced
        .thenCombine(claims.look(session, name, null), (done, queue) -> queue)
        .thenCombine(data, (queue, was) -> change(session, name, units, queue, was.stat()))
        .handle(
            (changed, failure) -> {
              if (failure == null) {
                return changed;
              }
              return KeeperFailures.isNoNode(failure)
                  ? claims
                      .makeFolder(session, name, units)
                      .thenCompose(
                          made ->
                              made
                                  ? CompletableFuture.completedFuture(0)
                                  : resize(session, name, units)) // another was faster
                  : CompletableFuture.<Integer>failedFuture(failure);
            })
        .thenCompose(before -> before);
  }

  /** Present holders keep their grants, even above the new capacity. */
  private CompletableFuture<Integer> change(
      Session session, String name, int units, Nodes.Queue queue, Stat was) {
    int before = queue.capacity().units();
    int granted = queue.granted();
    Integer held = units < before && granted > 0 ? queue.nodes().get(granted - 1).order() : null;
    return session
        .set(claims.folder(name), new Nodes.Capacity(units, held).bytes(), was.getVersion())
        .handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(before);
              }
              return KeeperFailures.unwrap(failure) instanceof KeeperException.BadVersionException
                  ? resize(session, name, units)
                  : CompletableFuture.failedFuture(failure);
            });
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    if (areLocks) {
      return claims.within(
          holder(claims.session(), name).thenApply(seen -> lockInfo(name, seen)),
          "inspect " + name);
    }
    Session session = claims.session();
    CompletableFuture<?> synced = session.sync(claims.folder(name));
    return claims.within(
        synced
            .thenCombine(claims.look(session, name, null), (done, queue) -> queue)
            .thenCompose(queue -> info(session, name, queue)),
        "inspect " + name);
  }

  private record Detail(Nodes.Node node, Session.@Nullable Data data) {}

  private CompletableFuture<PermitInfo> info(Session session, String name, Nodes.Queue queue) {
    int granted = queue.granted();
    List<CompletableFuture<Detail>> details = new ArrayList<>();
    for (Nodes.Node node : queue.nodes().subList(0, granted)) {
      details.add(
          session
              .get(claims.folder(name) + "/" + node.name(), null)
              .handle(
                  (data, failure) -> {
                    if (failure == null || KeeperFailures.isNoNode(failure)) {
                      return new Detail(node, data); // or it was deleted meanwhile
                    }
                    throw KeeperFailures.wrapped(failure);
                  }));
    }
    List<PermitInfo.Waiter> waiters =
        queue.nodes().stream()
            .skip(granted)
            .map(node -> new PermitInfo.Waiter(node.client(), node.attempt(), node.units()))
            .toList();
    return CompletableFuture.allOf(details.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            done -> {
              List<PermitInfo.Holder> holders = new ArrayList<>();
              long last = lastTokenBefore(queue.folder());
              for (CompletableFuture<Detail> one : details) {
                Session.Data data = one.join().data();
                if (data != null) {
                  PermitInfo.Holder holder = holder(name, one.join().node(), data);
                  holders.add(holder);
                  int block = note(name, one.join().node(), data).block();
                  last = Math.max(last, holder.token() + block - 1);
                }
              }
              return new PermitInfo(name, queue.capacity().units(), holders, waiters, last);
            });
  }

  private PermitInfo.Holder holder(String name, Nodes.Node node, Session.Data data) {
    Nodes.Note note = note(name, node, data);
    return new PermitInfo.Holder(
        node.client(),
        node.attempt(),
        node.units(),
        note.token(data.stat()),
        Instant.ofEpochMilli(data.stat().getCtime()),
        Duration.of(note.ttlMicros(), ChronoUnit.MICROS));
  }

  private Nodes.Note note(String name, Nodes.Node node, Session.Data data) {
    return Nodes.Note.parse(claims.folder(name) + "/" + node.name(), data.bytes());
  }

  // ---- the holder of a lock ----

  private static PermitInfo lockInfo(String name, Seen seen) {
    List<LockInfo.Waiter> waiters =
        seen.queue().nodes().stream()
            .skip(1)
            .map(node -> new LockInfo.Waiter(node.client(), node.attempt()))
            .toList();
    return PermitInfo.of(new LockInfo(name, seen.holder(), waiters, seen.lastToken()));
  }

  private record Seen(Nodes.Queue queue, Optional<LockInfo.Holder> holder, long lastToken) {}

  private CompletableFuture<Seen> holder(Session session, String name) {
    CompletableFuture<?> synced = session.sync(claims.folder(name));
    return synced
        .thenCombine(claims.look(session, name, null), (done, queue) -> queue)
        .thenCompose(
            queue -> {
              if (queue.nodes().isEmpty()) {
                return CompletableFuture.completedFuture(
                    new Seen(queue, Optional.empty(), lastTokenBefore(queue.folder())));
              }
              Nodes.Node first = queue.nodes().get(0);
              String path = claims.folder(name) + "/" + first.name();
              return session
                  .get(path, null)
                  .handle(
                      (data, failure) -> {
                        if (failure == null) {
                          return CompletableFuture.completedFuture(seen(queue, first, path, data));
                        }
                        return KeeperFailures.isNoNode(failure)
                            ? holder(session, name)
                            : CompletableFuture.<Seen>failedFuture(failure);
                      })
                  .thenCompose(seen -> seen);
            });
  }

  private static Seen seen(Nodes.Queue queue, Nodes.Node first, String path, Session.Data data) {
    Nodes.Note note = Nodes.Note.parse(path, data.bytes());
    long token = note.token(data.stat());
    LockInfo.Holder holder =
        new LockInfo.Holder(
            first.client(),
            first.attempt(),
            token,
            Instant.ofEpochMilli(data.stat().getCtime()),
            Duration.of(note.ttlMicros(), ChronoUnit.MICROS));
    return new Seen(queue, Optional.of(holder), token + note.block() - 1);
  }

  /** An upper bound of all tokens so far, from the last change; zero if nothing is known. */
  private static long lastTokenBefore(Stat folder) {
    return Math.max(0, folder.getPzxid() * Nodes.TOKENS - 1);
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return claims.names(limit);
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    claims.listen(client, listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlisten(String client) {
    claims.unlisten(client);
  }
}
