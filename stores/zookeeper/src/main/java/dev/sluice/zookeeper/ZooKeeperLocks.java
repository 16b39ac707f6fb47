package dev.sluice.zookeeper;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.zookeeper.nodes.Answers;
import dev.sluice.zookeeper.nodes.Claims;
import dev.sluice.zookeeper.nodes.Nodes;
import dev.sluice.zookeeper.nodes.Session;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.data.Stat;

/** The verbs of locks. Safe for use by many threads. */
final class ZooKeeperLocks implements LockBackend {
  private final Claims claims;

  ZooKeeperLocks(Claims claims) {
    this.claims = claims;
  }

  @Override
  public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
    Claims.Want want =
        new Claims.Want(1, 1, 1, request.ttlMicros(), request.block(), request.queue());
    Claims.Asked asked = claims.acquire(request.name(), request.client(), request.attempt(), want);
    return asked == null
        ? CompletableFuture.completedFuture(new AcquireReply.Over())
        : claims.within(asked.reply(), "acquire " + request.name());
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
  public CompletionStage<Boolean> release(String name, String client, long attempt) {
    return claims.release(name, client, attempt);
  }

  @Override
  public CompletionStage<Boolean> releaseAfter(
      String name, String client, long attempt, long delayMicros) {
    return claims.leave(name, client, attempt, delayMicros);
  }

  @Override
  public CompletionStage<Optional<ForcedRelease>> forceRelease(String name, long token) {
    return claims.within(force(name, token), "force release of " + name);
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
                  .delete(claims.folder(name) + "/" + seen.line().nodes().get(0).name())
                  .handle((done, failure) -> failure)
                  .thenCompose(
                      failure -> {
                        if (failure == null) {
                          return CompletableFuture.completedFuture(
                              Optional.of(new ForcedRelease(holder, fence)));
                        }
                        return Answers.isNoNode(failure)
                            ? force(name, token) // it was released meanwhile: who is next?
                            : CompletableFuture.failedFuture(failure);
                      });
            });
  }

  @Override
  public CompletionStage<LockInfo> inspect(String name) {
    return claims.within(
        holder(claims.session(), name)
            .thenApply(
                seen -> {
                  List<LockInfo.Waiter> waiters =
                      seen.line().nodes().stream()
                          .skip(1)
                          .map(node -> new LockInfo.Waiter(node.client(), node.attempt()))
                          .toList();
                  return new LockInfo(name, seen.holder(), waiters, seen.lastToken());
                }),
        "inspect " + name);
  }

  private record Seen(Nodes.Line line, Optional<LockInfo.Holder> holder, long lastToken) {}

  private CompletableFuture<Seen> holder(Session session, String name) {
    CompletableFuture<?> synced = session.sync(claims.folder(name));
    return synced
        .thenCombine(claims.look(session, name, null), (done, line) -> line)
        .thenCompose(
            line -> {
              if (line.nodes().isEmpty()) {
                return CompletableFuture.completedFuture(
                    new Seen(line, Optional.empty(), lastTokenBefore(line.folder())));
              }
              Nodes.Node first = line.nodes().get(0);
              String path = claims.folder(name) + "/" + first.name();
              return session
                  .get(path, null)
                  .handle(
                      (data, failure) -> {
                        if (failure == null) {
                          return CompletableFuture.completedFuture(seen(line, first, path, data));
                        }
                        return Answers.isNoNode(failure)
                            ? holder(session, name)
                            : CompletableFuture.<Seen>failedFuture(failure);
                      })
                  .thenCompose(seen -> seen);
            });
  }

  private static Seen seen(Nodes.Line line, Nodes.Node first, String path, Session.Data data) {
    Nodes.Note note = Nodes.Note.parse(path, data.bytes());
    long token = note.token(data.stat());
    LockInfo.Holder holder =
        new LockInfo.Holder(
            first.client(),
            first.attempt(),
            token,
            Instant.ofEpochMilli(data.stat().getCtime()),
            Duration.of(note.ttlMicros(), ChronoUnit.MICROS));
    return new Seen(line, Optional.of(holder), token + note.block() - 1);
  }

  /** Every token so far is below that of the last change; zero where nothing is known. */
  static long lastTokenBefore(Stat folder) {
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
