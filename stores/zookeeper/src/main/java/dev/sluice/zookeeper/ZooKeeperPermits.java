package dev.sluice.zookeeper;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.PermitBackend;
import dev.sluice.spi.PermitReply;
import dev.sluice.spi.PermitRequest;
import dev.sluice.spi.RenewReply;
import dev.sluice.zookeeper.nodes.Answers;
import dev.sluice.zookeeper.nodes.Claims;
import dev.sluice.zookeeper.nodes.Nodes;
import dev.sluice.zookeeper.nodes.Session;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The verbs of semaphores and read-write locks. Safe for use by many threads. */
final class ZooKeeperPermits implements PermitBackend {
  private final Claims claims;

  ZooKeeperPermits(Claims claims) {
    this.claims = claims;
  }

  @Override
  public CompletionStage<PermitReply> acquire(PermitRequest request) {
    if (request.first()) {
      return CompletableFuture.failedFuture(
          new UnsupportedOperationException(
              "ZooKeeper serves readers and writers in the order they came: take"
                  + " ReadWriteOrder.FAIR; WRITERS_FIRST is for Redis, SQL and memory"));
    }
    Claims.Want want =
        new Claims.Want(
            request.capacity(),
            request.least(),
            request.most(),
            request.ttlMicros(),
            request.block(),
            request.queue());
    Claims.Asked asked = claims.acquire(request.name(), request.client(), request.attempt(), want);
    if (asked == null) {
      return CompletableFuture.completedFuture(new PermitReply(new AcquireReply.Over(), 0));
    }
    return claims
        .within(asked.reply(), "acquire " + request.name())
        .thenApply(
            reply ->
                new PermitReply(
                    reply, reply instanceof AcquireReply.Granted ? asked.claim().units() : 0));
  }

  @Override
  public boolean confirmsInParts() {
    return true;
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return claims.renew(name, client, attempt, ttlMicros);
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return keep == 0
        ? claims.release(name, client, attempt)
        : claims.shrink(name, client, attempt, keep);
  }

  @Override
  public CompletionStage<Integer> resize(String name, int capacity) {
    return claims.within(resize(claims.session(), name, capacity), "resize " + name);
  }

  private CompletableFuture<Integer> resize(Session session, String name, int units) {
    String folder = claims.folder(name);
    CompletableFuture<?> synced = session.sync(folder);
    CompletableFuture<Session.Data> data = session.get(folder, null);
    return synced
        .thenCombine(claims.look(session, name, null), (done, line) -> line)
        .thenCombine(data, (line, was) -> change(session, name, units, line, was.stat()))
        .handle(
            (changed, failure) -> {
              if (failure == null) {
                return changed;
              }
              return Answers.isNoNode(failure)
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

  /** Who holds now goes on, though it may be more than there are from now on. */
  private CompletableFuture<Integer> change(
      Session session, String name, int units, Nodes.Line line, Stat was) {
    int before = line.capacity().units();
    int granted = line.granted();
    Integer held = units < before && granted > 0 ? line.nodes().get(granted - 1).order() : null;
    return session
        .set(claims.folder(name), new Nodes.Capacity(units, held).bytes(), was.getVersion())
        .handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(before);
              }
              return Answers.unwrap(failure) instanceof KeeperException.BadVersionException
                  ? resize(session, name, units)
                  : CompletableFuture.failedFuture(failure);
            });
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    Session session = claims.session();
    CompletableFuture<?> synced = session.sync(claims.folder(name));
    return claims.within(
        synced
            .thenCombine(claims.look(session, name, null), (done, line) -> line)
            .thenCompose(line -> info(session, name, line)),
        "inspect " + name);
  }

  private record Detail(Nodes.Node node, Session.@Nullable Data data) {}

  private CompletableFuture<PermitInfo> info(Session session, String name, Nodes.Line line) {
    int granted = line.granted();
    List<CompletableFuture<Detail>> details = new ArrayList<>();
    for (Nodes.Node node : line.nodes().subList(0, granted)) {
      details.add(
          session
              .get(claims.folder(name) + "/" + node.name(), null)
              .handle(
                  (data, failure) -> {
                    if (failure == null || Answers.isNoNode(failure)) {
                      return new Detail(node, data); // or it is gone meanwhile
                    }
                    throw Answers.wrapped(failure);
                  }));
    }
    List<PermitInfo.Waiter> waiters =
        line.nodes().stream()
            .skip(granted)
            .map(node -> new PermitInfo.Waiter(node.client(), node.attempt(), node.units()))
            .toList();
    return CompletableFuture.allOf(details.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            done -> {
              List<PermitInfo.Holder> holders = new ArrayList<>();
              long last = ZooKeeperLocks.lastTokenBefore(line.folder());
              for (CompletableFuture<Detail> one : details) {
                Session.Data data = one.join().data();
                if (data != null) {
                  PermitInfo.Holder holder = holder(name, one.join().node(), data);
                  holders.add(holder);
                  int block = note(name, one.join().node(), data).block();
                  last = Math.max(last, holder.token() + block - 1);
                }
              }
              return new PermitInfo(name, line.capacity().units(), holders, waiters, last);
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
