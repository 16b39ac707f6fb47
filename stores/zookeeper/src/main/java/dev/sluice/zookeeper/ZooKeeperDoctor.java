package dev.sluice.zookeeper;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.zookeeper.nodes.Folders;
import dev.sluice.zookeeper.nodes.KeeperFailures;
import dev.sluice.zookeeper.nodes.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks for settings of an ensemble that break a guarantee of Sluice. Changes nothing: rights are
 * tried in a transaction that the servers refuse as a whole.
 */
final class ZooKeeperDoctor {
  private final String where;
  private final Session session;
  private final String base;
  private final List<Finding> findings = new ArrayList<>();

  private ZooKeeperDoctor(String where, Session session, String base) {
    this.where = where;
    this.session = session;
    this.base = base;
  }

  /**
   * Examines an ensemble.
   *
   * @param where it is, for people
   * @param session to ask in
   * @param asked the session timeout that Sluice asked for; null if that is the application's
   *     affair
   * @param folders the parents of the nodes of Sluice
   * @return what was found; fails if there was no answer
   */
  static CompletableFuture<List<Finding>> examine(
      String where, Session session, @Nullable Duration asked, Folders folders) {
    ZooKeeperDoctor doctor = new ZooKeeperDoctor(where, session, folders.base());
    if (asked != null) {
      doctor.sessions(asked.toMillis(), session.timeoutMicros() / 1000);
    }
    if (session.givesAwayRights()) {
      doctor.found(
          Severity.WARNING,
          "open-to-all",
          "what we make may be deleted by anybody who reaches the servers",
          "a stranger ends a lease, or takes a place in the queue",
          "name a user in the URL: zookeeper://user:password@...");
    }
    return session
        .config()
        .handle(
            (data, failure) -> {
              if (failure == null) {
                doctor.members(new String(data.bytes(), StandardCharsets.UTF_8));
              } else if (KeeperFailures.isRefused(failure)) {
                doctor.notTold();
              } else {
                throw KeeperFailures.wrapped(failure);
              }
              return doctor;
            })
        .thenCompose(asking -> asking.rights(folders.root() + "/locks"))
        .thenApply(done -> doctor.findings);
  }

  private void found(Severity severity, String id, String what, String risk, String fix) {
    findings.add(new Finding(severity, id, where, what, risk, fix));
  }

  private void sessions(long asked, long granted) {
    if (granted > asked) {
      found(
          Severity.WARNING,
          "session-timeout",
          "we asked for sessions of " + asked + " ms, and the servers grant none below " + granted,
          "that is two of their ticks as a rule, and exclusion needs four",
          "sessionTimeout=" + 2 * granted + "ms in the URL");
    } else if (granted < asked) {
      found(
          Severity.INFO,
          "session-timeout",
          "we asked for sessions of " + asked + " ms, and the servers grant none above " + granted,
          "leases are in doubt, and then lost, sooner than one might think",
          "sessionTimeout=" + granted + "ms in the URL, or a higher maxSessionTimeout there");
    }
  }

  /** One line for each server; none for a standalone server. */
  private void members(String config) {
    long voting =
        config
            .lines()
            .filter(line -> line.startsWith("server.") && !line.contains(":observer"))
            .count();
    if (voting <= 1) {
      found(
          Severity.WARNING,
          "one-server",
          "there is one server",
          "nothing is granted while it is away, and if its data is lost the tokens start over",
          "an ensemble of three");
    } else if (voting % 2 == 0) {
      found(
          Severity.WARNING,
          "even-count",
          voting + " servers vote",
          "no more of them may fail than of " + (voting - 1),
          "one server less, or one more");
    }
  }

  private void notTold() {
    found(
        Severity.WARNING,
        "not-told",
        "we may not read /zookeeper/config",
        "too few servers stay unseen",
        "setAcl /zookeeper/config world:anyone:r");
  }

  /** The rights at this node, or at its nearest existing parent. */
  private CompletableFuture<ZooKeeperDoctor> rights(String path) {
    return session
        .mayMakeAndDelete(path)
        .handle(
            (may, failure) -> {
              if (failure == null) {
                if (!may) {
                  found(
                      Severity.ERROR,
                      "rights",
                      "our user may not make and delete nodes at " + path,
                      "calls are refused",
                      "setAcl -R " + (base.isEmpty() ? path : base) + " auth:our user:cdrwa");
                }
                return CompletableFuture.completedFuture(this);
              }
              if (KeeperFailures.isNoNode(failure) && path.length() > 1) {
                return rights(path.substring(0, Math.max(1, path.lastIndexOf('/'))));
              }
              return CompletableFuture.<ZooKeeperDoctor>failedFuture(
                  KeeperFailures.unwrap(failure));
            })
        .thenCompose(next -> next);
  }
}
