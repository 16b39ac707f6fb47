package dev.sluice.zookeeper.nodes;

import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Creates the parent nodes of Sluice's. The one that the caller names belongs to the caller: it is
 * made if it is missing, and stays. All below are containers, which the servers remove some time
 * after the last child was deleted.
 *
 * @param base what the caller names, "/" and names, or nothing
 * @param namespace of the backend, if it has one
 */
public record Folders(String base, @Nullable String namespace) {
  private static final int MAX_RACES = 10;

  public String root() {
    return base + "/sluice" + (namespace == null ? "" : "-" + namespace);
  }

  /** Creates a node and its parents, if they do not exist. Completes with whether it was made. */
  CompletableFuture<Boolean> make(Session session, String path, byte[] data, CreateMode mode) {
    return make(session, path, data, mode, MAX_RACES);
  }

  private CompletableFuture<Boolean> make(
      Session session, String path, byte[] data, CreateMode mode, int races) {
    return session
        .create(path, data, mode)
        .handle((made, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(true);
              }
              if (KeeperFailures.unwrap(failure) instanceof KeeperException.NodeExistsException) {
                return KeeperFailures.NO;
              }
              int slash = path.lastIndexOf('/');
              if (!KeeperFailures.isNoNode(failure) || slash <= 0 || races == 0) {
                return CompletableFuture.<Boolean>failedFuture(failure);
              }
              String above = path.substring(0, slash);
              CreateMode kind =
                  above.length() > base.length() ? CreateMode.CONTAINER : CreateMode.PERSISTENT;
              return make(session, above, new byte[0], kind, races - 1)
                  .thenCompose(done -> make(session, path, data, mode, races - 1));
            });
  }
}
