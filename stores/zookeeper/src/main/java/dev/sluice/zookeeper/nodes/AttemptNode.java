package dev.sluice.zookeeper.nodes;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.lock.WrongCapacityException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LockMessage.Kind;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a client on one name: its node, from the request that creates it to the request
 * that deletes it.
 *
 * <p>Safe for use by many threads. No request is sent and no callback is called under the monitor.
 */
public final class AttemptNode {
  /*
   * The servers know nothing of TTLs: a node lives until its session ends. The process that owns
   * the node does here what other stores do with their clock: when a grant is not renewed within
   * its TTL, or a ticket is not polled for within its heartbeat, the node is deleted. If the
   * process dies, its session ends, and the servers delete the node.
   *
   * A create whose answer was lost may have made a node. The name of the node says whose it
   * is, so it is looked for, after a sync: the server that we are connected to now may lag behind
   * the one that made it.
   */

  private enum State {
    /** The node does not exist. */
    NEW,
    /** The node may exist. */
    UNSURE,
    WAITING,
    GRANTED,
    OVER
  }

  private final Claims home;
  final String name;
  final String client;
  final long attempt;
  final Session session;
  private final int capacity;
  private final int least;
  private final int block;
  private final Watcher queueWatcher = event -> onLine(event.getType());
  private final Watcher aheadWatcher = event -> onAhead(event.getType());

  // guarded by this
  private State state = State.NEW;
  private int units;
  private @Nullable String node;
  private long zxid;
  private @Nullable CompletableFuture<GrantReply> pending;
  private @Nullable CompletableFuture<Nodes.Queue> entering;

  /** The claim is being reduced to its least units, and the servers have not answered yet. */
  private @Nullable CompletableFuture<Boolean> shrinking;

  /** Counts events of the queue, so that a look can detect events that arrived meanwhile. */
  private int news;

  /** The last view of the queue may be stale. */
  private boolean stale = true;

  /** The queue of a lock changed after it was listed for the grant. */
  private boolean changed;

  /** The client got the message that another client waits, since its last renewal. */
  private boolean told;

  /** The capacity of the name is the client's. */
  private boolean settled;

  /** The queue has to be read at the next tick. */
  private boolean dirty;

  private int before;
  private Claims.Terms terms;
  private long ttlMicros;
  private long expiresAt;
  private long askedAt;
  private boolean endFailed;

  /** The claim was a grant when it ended, so all its units are released. */
  private boolean gaveBack;

  AttemptNode(
      Claims home, Session session, String name, String client, long attempt, Claims.Terms terms) {
    this.home = home;
    this.session = session;
    this.name = name;
    this.client = client;
    this.attempt = attempt;
    this.capacity = terms.capacity();
    this.least = terms.least();
    this.units = terms.most();
    this.block = Math.min(terms.block(), Nodes.TOKENS - 1);
    this.terms = terms;
    this.ttlMicros = terms.ttlMicros();
    this.askedAt = System.nanoTime();
  }

  private String path() {
    return home.folder(name) + "/" + node;
  }

  public synchronized int units() {
    return units;
  }

  synchronized boolean isGranted() {
    return state == State.GRANTED;
  }

  // ---- asking ----

  /**
   * Sends a request or a poll; joins a request that is under way.
   *
   * @param onEntry ends what this claim replaces: a client that comes now is behind it in the queue
   */
  CompletableFuture<GrantReply> ask(Claims.Terms terms, Runnable onEntry) {
    CompletableFuture<GrantReply> answer = new CompletableFuture<>();
    State was;
    synchronized (this) {
      askedAt = System.nanoTime();
      if (pending != null) {
        return pending;
      }
      if (state == State.OVER) {
        return CompletableFuture.completedFuture(new GrantReply.Over());
      }
      if (state == State.WAITING && !stale && terms.queue() && home.isConnected()) {
        return CompletableFuture.completedFuture(queued());
      }
      if (state != State.GRANTED) {
        ttlMicros = terms.ttlMicros();
      }
      was = state;
      pending = answer;
      this.terms = terms;
    }
    boolean waits = was == State.WAITING && !home.watchesAll();
    CompletableFuture<Nodes.Queue> seen =
        switch (was) {
          case NEW -> enter(3, onEntry);
          case UNSURE -> find();
          default -> waits ? look() : lookAfterSync();
        };
    seen.thenCompose(queue -> judge(queue, terms, true, !waits))
        .whenComplete(
            (reply, failure) -> {
              boolean over;
              synchronized (this) {
                pending = null;
                over = state == State.OVER;
              }
              if (failure == null) {
                answer.complete(reply);
              } else {
                if (over) {
                  home.end(this); // there may be a node all the same
                }
                answer.completeExceptionally(failure);
              }
            });
    return answer;
  }

  private GrantReply.Queued queued() {
    return new GrantReply.Queued(before, session.timeoutMicros());
  }

  /** Creates the node, and reads the queue in the same call. */
  private CompletableFuture<Nodes.Queue> enter(int tries, Runnable onEntry) {
    byte[] note = new Nodes.Note(ttlMicros, block, 0).bytes();
    String prefix = home.folder(name) + "/" + Nodes.prefix(client, attempt, units);
    CompletableFuture<Session.Made> made =
        session.create(prefix, note, CreateMode.EPHEMERAL_SEQUENTIAL);
    onEntry.run();
    CompletableFuture<Nodes.Queue> queue = look();
    CompletableFuture<Nodes.Queue> entered =
        made.handle((done, failure) -> onMade(done, failure, tries))
            .thenCompose(again -> again ? enterAnew(tries) : queue);
    synchronized (this) {
      entering = entered;
    }
    return entered;
  }

  private boolean onMade(Session.@Nullable Made made, @Nullable Throwable failure, int tries) {
    if (made != null) {
      synchronized (this) {
        node = made.path().substring(made.path().lastIndexOf('/') + 1);
        zxid = made.stat().getCzxid();
        boolean spent = Nodes.isNearTheEnd(home.folder(name), node);
        state = state == State.OVER || spent ? State.OVER : State.WAITING;
        if (spent) {
          throw new BackendException(
              "'"
                  + home.folder(name)
                  + "' was used so often that the numbers of the servers"
                  + " end: let no client use '"
                  + name
                  + "' until the servers have removed it",
              null);
        }
      }
      return false;
    }
    Throwable cause = KeeperFailures.unwrap(failure);
    if (cause instanceof KeeperException.NoNodeException && tries > 0) {
      return true;
    }
    synchronized (this) {
      if (KeeperFailures.isUnknown(cause) && state == State.NEW) {
        state = State.UNSURE;
      }
    }
    throw KeeperFailures.wrapped(cause);
  }

  private CompletableFuture<Nodes.Queue> enterAnew(int tries) {
    return home.makeFolder(session, name, capacity).thenCompose(made -> enter(tries - 1, () -> {}));
  }

  /** Looks for the node after the reply to its creation was lost. */
  private CompletableFuture<Nodes.Queue> find() {
    return lookAfterSync()
        .thenCompose(
            queue -> {
              int index = queue.indexOf(client, attempt);
              if (index < 0) {
                synchronized (this) {
                  state = state == State.UNSURE ? State.NEW : state;
                }
                return enter(3, () -> {});
              }
              String found = queue.nodes().get(index).name();
              return session
                  .get(home.folder(name) + "/" + found, null)
                  .thenApply(
                      data -> {
                        synchronized (this) {
                          node = found;
                          zxid = data.stat().getCzxid();
                          state = state == State.UNSURE ? State.WAITING : state;
                        }
                        return queue;
                      });
            });
  }

  private CompletableFuture<Nodes.Queue> look() {
    int heard;
    synchronized (this) {
      heard = news;
    }
    return home.look(session, name, queueWatcher).thenApply(queue -> queue.after(heard));
  }

  private CompletableFuture<Nodes.Queue> lookAfterSync() {
    CompletableFuture<?> synced = session.sync(home.folder(name));
    return synced.thenCombine(look(), (done, queue) -> queue);
  }

  /**
   * Judges this claim's position in the queue.
   *
   * @param asked whether the client asks, and takes up a grant; otherwise it is called to ask
   * @param sure whether a turn in this queue is a grant; otherwise the queue is listed once more
   */
  private CompletableFuture<GrantReply> judge(
      Nodes.Queue queue, Claims.Terms terms, boolean asked, boolean sure) {
    int index = queue.indexOf(client, attempt);
    int granted = queue.granted();
    int heard = queue.heard();
    boolean otherCapacity = queue.capacity().units() != capacity;
    boolean over;
    boolean mine;
    boolean accepted; // it waited before the number was changed
    synchronized (this) {
      over = index < 0 || session.isLost() || state == State.OVER;
      state = over ? State.OVER : state;
      mine = state == State.GRANTED;
      accepted = settled;
      settled = settled || !otherCapacity;
    }
    if (over) {
      if (index >= 0) {
        home.end(this); // it was ended before the node was there
      } else {
        home.forget(this);
      }
      return CompletableFuture.completedFuture(new GrantReply.Over());
    }
    if (otherCapacity && !mine && !(accepted && index < granted)) {
      int settledOn = queue.capacity().units();
      return home.end(this)
          .handle((done, failure) -> done)
          .thenCompose(
              done ->
                  CompletableFuture.failedFuture(
                      new WrongCapacityException(Names.quoted(name), settledOn, capacity)));
    }
    if (index < granted || mine) {
      if (!asked) {
        home.post(client, Kind.GRANTED, name);
        return CompletableFuture.completedFuture(queued());
      }
      return mine || sure ? grant(queue, index, terms) : lookAndGrant(terms);
    }
    if (queue.nodes().get(index).units() > least) { // what is welcome is not there
      return settleForLess(queue.nodes().get(index))
          .thenCompose(done -> lookAfterSync())
          .thenCompose(now -> judge(now, terms, asked, true));
    }
    if (queue.nodes().get(0).isNobodys()) {
      lookAtNobodys(queue.nodes().get(0));
    }
    if (!terms.queue()) {
      long remaining = session.timeoutMicros();
      return home.end(this).handle((done, failure) -> new GrantReply.Busy(remaining));
    }
    if (home.watchesAll()) {
      return CompletableFuture.completedFuture(waitFrom(heard, index - granted));
    }
    String ahead = home.folder(name) + "/" + queue.nodes().get(index - 1).name();
    return session
        .get(ahead, aheadWatcher)
        .handle(
            (data, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(waitFrom(heard, index - granted));
              }
              if (KeeperFailures.unwrap(failure) instanceof KeeperException.NoNodeException) {
                return look().thenCompose(now -> judge(now, terms, asked, home.watchesAll()));
              }
              return CompletableFuture.<GrantReply>failedFuture(failure);
            })
        .thenCompose(answer -> answer);
  }

  /** Only clients that read the queue delete it. Its time counts from when this client saw it. */
  private void lookAtNobodys(Nodes.Node nobodys) {
    String path = home.folder(name) + "/" + nobodys.name();
    session
        .get(path, null)
        .thenAccept(data -> home.sawNobodys(path, Nodes.Note.parse(path, data.bytes()).ttlMicros()))
        .exceptionally(failure -> null); // gone, or seen again by the next who asks
  }

  private synchronized GrantReply waitFrom(int heard, int position) {
    before = position;
    stale = news != heard;
    return queued();
  }

  /*
   * A claim has the units of its node, whichever request asked for them. The node is cut by
   * another look at the queue at the same time, or it was cut by a request whose answer was lost.
   * So nothing is granted while a cut is under way, and the node that was seen is taken over.
   * Units only get fewer: what says more is an older look.
   *
   * A node that is first stays first until it is deleted, which an operator does by force. So
   * who waited lists the queue again when its turn has come, and a change that the watch reports
   * before the grant has it listed once more. A deletion that is reported later ends the grant.
   */
  private CompletableFuture<GrantReply> grant(Nodes.Queue queue, int index, Claims.Terms terms) {
    CompletableFuture<?> first;
    synchronized (this) {
      if (changed) {
        first = KeeperFailures.NO; // the node may be gone
      } else if (shrinking == null && session.isCertain(System.nanoTime())) {
        adopt(queue.nodes().get(index));
        return CompletableFuture.completedFuture(grant(queue));
      } else {
        first = shrinking == null ? session.steady() : shrinking.exceptionally(failure -> false);
      }
    }
    return first.thenCompose(done -> lookAndGrant(terms));
  }

  private CompletableFuture<GrantReply> lookAndGrant(Claims.Terms terms) {
    synchronized (this) {
      changed = false;
    }
    return lookAfterSync().thenCompose(now -> judge(now, terms, true, true));
  }

  private synchronized void adopt(Nodes.Node seen) {
    if (seen.units() <= units) {
      node = seen.name();
      units = seen.units();
    }
  }

  private GrantReply grant(Nodes.Queue queue) {
    long token = zxid * Nodes.TOKENS;
    if (token > LockProtocol.MAX_TOKEN - Nodes.TOKENS) {
      home.end(this);
      throw new ForeignDataException(
          Names.quoted(name)
              + " has no fencing token left: the servers are at zxid "
              + zxid
              + "; move to a new ensemble",
          null);
    }
    synchronized (this) {
      long now = System.nanoTime();
      if (state == State.OVER) {
        return new GrantReply.Over();
      }
      if (state != State.GRANTED) {
        state = State.GRANTED;
        expiresAt = now + ttlMicros * 1000;
      }
      int waiting = queue.waitingBeside(client);
      told = waiting > 0;
      return new GrantReply.Granted(token, block, remainingMicros(now), waiting);
    }
  }

  private long remainingMicros(long now) {
    return Math.max(0, Math.min((expiresAt - now) / 1000, session.certainMicros(now)));
  }

  // ---- holding ----

  CompletableFuture<RenewReply> renew(long micros) {
    synchronized (this) {
      if (state != State.GRANTED || session.isLost() || expiresAt - System.nanoTime() <= 0) {
        return CompletableFuture.completedFuture(new RenewReply.Gone());
      }
    }
    return lookAfterSync()
        .handle(
            (queue, failure) -> {
              if (failure == null) {
                return renewed(queue, micros);
              }
              if (session.isLost()) {
                return new RenewReply.Gone();
              }
              throw KeeperFailures.wrapped(failure);
            });
  }

  private RenewReply renewed(Nodes.Queue queue, long micros) {
    boolean gone;
    synchronized (this) {
      long now = System.nanoTime();
      gone = queue.indexOf(client, attempt) < 0 || session.isLost();
      if (!gone && state == State.GRANTED) {
        ttlMicros = Math.max(ttlMicros, micros);
        expiresAt = Math.max(expiresAt - now, micros * 1000) + now;
        int waiting = queue.waitingBeside(client);
        told = waiting > 0;
        return new RenewReply.Renewed(remainingMicros(now), waiting);
      }
      state = gone ? State.OVER : state;
    }
    if (gone) {
      home.forget(this);
    }
    return new RenewReply.Gone();
  }

  /**
   * Replaces this node by one without a holder, which expires after the delay. Completes with
   * whether there was a grant.
   */
  CompletableFuture<Boolean> leave(long delayMicros) {
    String old;
    String next;
    byte[] note;
    synchronized (this) {
      if (state != State.GRANTED || node == null || expiresAt - System.nanoTime() <= 0) {
        return KeeperFailures.NO;
      }
      old = path();
      Nodes.Node mine = Nodes.Node.parse(home.folder(name), node);
      next = home.folder(name) + "/" + mine.asNobodys(zxid);
      note = new Nodes.Note(delayMicros, block, zxid).bytes();
    }
    home.sawNobodys(next, delayMicros); // also if the answer is lost
    return session
        .replace(old, next, note, CreateMode.PERSISTENT)
        .handle(
            (done, failure) -> {
              if (failure != null && !KeeperFailures.isNoNode(failure)) {
                throw KeeperFailures.wrapped(failure);
              }
              synchronized (this) {
                state = State.OVER;
              }
              home.forget(this);
              return failure == null;
            });
  }

  /** Releases units and keeps the position in the queue. */
  CompletableFuture<Boolean> shrink(int keep) {
    synchronized (this) {
      if (state != State.GRANTED) {
        return CompletableFuture.completedFuture(gaveBack);
      }
    }
    return shrinkTo(keep);
  }

  /** Shrinks to the least units before a grant; after the grant, only the client shrinks it. */
  private CompletableFuture<Boolean> settleForLess(Nodes.Node seen) {
    CompletableFuture<Boolean> cut = new CompletableFuture<>();
    synchronized (this) {
      if (shrinking != null) {
        return shrinking;
      }
      if (state != State.WAITING) {
        return KeeperFailures.NO;
      }
      adopt(seen);
      shrinking = cut;
    }
    shrinkTo(least)
        .whenComplete(
            (done, failure) -> {
              synchronized (this) {
                shrinking = null;
              }
              if (failure == null) {
                cut.complete(done);
              } else {
                cut.completeExceptionally(failure);
              }
            });
    return cut;
  }

  private CompletableFuture<Boolean> shrinkTo(int keep) {
    String old;
    Nodes.Node now;
    byte[] note;
    synchronized (this) {
      if (node == null) {
        return KeeperFailures.NO;
      }
      if (keep >= units) {
        return CompletableFuture.completedFuture(true);
      }
      old = path();
      now = Nodes.Node.parse(home.folder(name), node);
      note = new Nodes.Note(ttlMicros, block, zxid).bytes();
    }
    String next = now.with(keep);
    return session
        .replace(old, home.folder(name) + "/" + next, note, CreateMode.EPHEMERAL)
        .handle((done, failure) -> failure)
        .thenCompose(
            failure ->
                failure == null
                    ? CompletableFuture.completedFuture(onShrunk(next, keep))
                    : shrunkMeanwhile(keep, failure));
  }

  /** The reply to an earlier request was lost, or the node was deleted. */
  private CompletableFuture<Boolean> shrunkMeanwhile(int keep, Throwable failure) {
    return lookAfterSync()
        .thenCompose(
            queue -> {
              int index = queue.indexOf(client, attempt);
              if (index < 0) {
                return CompletableFuture.completedFuture(hasGivenBack());
              }
              Nodes.Node found = queue.nodes().get(index);
              boolean shrunk = onShrunk(found.name(), found.units());
              if (found.units() <= keep) {
                return CompletableFuture.completedFuture(shrunk);
              }
              return KeeperFailures.isNoNode(failure)
                  ? shrinkTo(keep) // the node has another name since
                  : CompletableFuture.<Boolean>failedFuture(failure);
            });
  }

  /** Reports success even if the remaining units were released meanwhile. */
  private synchronized boolean onShrunk(String next, int keep) {
    node = next;
    units = Math.min(units, keep);
    return true;
  }

  private synchronized boolean hasGivenBack() {
    return gaveBack;
  }

  // ---- what is heard ----

  private void onLine(EventType type) {
    if (type == EventType.None) {
      return; // of the connection; the link reports it
    }
    boolean look;
    synchronized (this) {
      if (home.watchesAll()) {
        news++;
        stale = true;
      } else {
        changed = state != State.GRANTED;
      }
      look = state == State.GRANTED ? !told : state == State.WAITING && home.watchesAll();
      dirty = dirty || (state == State.GRANTED && told);
    }
    if (look) {
      observe();
    }
  }

  private void onAhead(EventType type) {
    if (type == EventType.None) {
      return;
    }
    boolean next;
    synchronized (this) {
      news++;
      stale = true;
      if (state != State.WAITING) {
        return;
      }
      next = before == 0;
    }
    if (next) {
      home.post(client, Kind.GRANTED, name);
    } else {
      observe();
    }
  }

  /** Reads the queue without a request of the client. */
  private void observe() {
    look()
        .thenAccept(this::onObserved)
        .exceptionally(
            failure -> {
              synchronized (this) {
                dirty = true;
              }
              return null;
            });
  }

  private void onObserved(Nodes.Queue queue) {
    Kind message = null;
    boolean waits = false;
    Claims.Terms current;
    synchronized (this) {
      current = terms;
      boolean gone = queue.indexOf(client, attempt) < 0;
      if (state == State.GRANTED) {
        if (gone) {
          message = Kind.TAKEN;
          state = State.OVER;
        } else if (!told && queue.waitingBeside(client) > 0) {
          told = true;
          message = Kind.WANTED;
        }
      } else {
        waits = state == State.WAITING;
      }
    }
    if (message == Kind.TAKEN) {
      home.forget(this);
    }
    if (message != null) {
      home.post(client, message, name);
    }
    if (waits) {
      judge(queue, current, false, true)
          .whenComplete(
              (reply, failure) -> {
                if (failure != null || reply instanceof GrantReply.Over) {
                  home.post(client, Kind.GRANTED, name); // to ask, and hear it
                }
              });
    }
  }

  /** Called by the timer. */
  void tick(long now) {
    boolean end;
    boolean look;
    synchronized (this) {
      end =
          switch (state) {
            case GRANTED -> expiresAt - now <= 0;
            case NEW, UNSURE, WAITING ->
                pending == null && now - askedAt > LockProtocol.HEARTBEAT_MICROS * 1000;
            case OVER -> false;
          };
      look = dirty && state != State.OVER && !end;
      dirty = dirty && !look;
    }
    if (end) {
      home.end(this);
    } else if (look) {
      observe();
    }
  }

  /** The state of the session is unknown. */
  void suspended() {
    if (isGranted()) {
      home.post(client, Kind.IN_DOUBT, name);
    }
  }

  void sessionLost() {
    Kind message;
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      message = state == State.GRANTED ? Kind.TAKEN : Kind.GRANTED;
      state = State.OVER;
    }
    home.forget(this);
    home.post(client, message, name);
  }

  // ---- the end ----

  /**
   * Ends the claim, independent of requests under way. Completes with whether a grant was freed.
   */
  CompletableFuture<Boolean> end() {
    boolean held;
    CompletableFuture<?> underWay;
    synchronized (this) {
      held = state == State.GRANTED && expiresAt - System.nanoTime() > 0;
      if (state == State.NEW && entering == null) {
        state = State.OVER;
        return CompletableFuture.completedFuture(false);
      }
      gaveBack = gaveBack || held;
      state = State.OVER;
      underWay = entering;
    }
    CompletableFuture<Boolean> deleted =
        underWay == null || underWay.isDone()
            ? delete()
            : underWay.handle((queue, failure) -> 0).thenCompose(done -> delete());
    return deleted.thenApply(was -> held && was);
  }

  synchronized void failedToEnd() {
    endFailed = true;
  }

  /** Returns true once after each failure. */
  synchronized boolean isToBeEndedAgain() {
    boolean failed = endFailed;
    endFailed = false;
    return failed;
  }

  /** Deletes the node if it exists. */
  CompletableFuture<Boolean> delete() {
    if (session.isLost()) {
      return CompletableFuture.completedFuture(false);
    }
    String known;
    synchronized (this) {
      known = node == null ? null : path();
    }
    CompletableFuture<Boolean> deleted =
        known == null
            ? findAndDelete()
            : deleteOrElse(known, () -> home.watchesAll() ? findAndDelete() : KeeperFailures.NO);
    return deleted.exceptionally(
        failure -> {
          if (session.isLost()) {
            return false;
          }
          throw KeeperFailures.wrapped(failure);
        });
  }

  private CompletableFuture<Boolean> deleteOrElse(
      String path, Supplier<CompletableFuture<Boolean>> gone) {
    return session
        .delete(path)
        .handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(true);
              }
              return KeeperFailures.isNoNode(failure)
                  ? gone.get()
                  : CompletableFuture.<Boolean>failedFuture(KeeperFailures.wrapped(failure));
            });
  }

  /**
   * Deletes the client's nodes until none is left. A node that disappears meanwhile has fewer units
   * than its predecessor.
   */
  private CompletableFuture<Boolean> findAndDelete() {
    CompletableFuture<?> synced = session.sync(home.folder(name));
    return synced
        .thenCombine(home.look(session, name, null), (done, queue) -> queue)
        .thenCompose(
            queue -> {
              int index = queue.indexOf(client, attempt);
              if (index < 0) {
                return KeeperFailures.NO;
              }
              String found = home.folder(name) + "/" + queue.nodes().get(index).name();
              return deleteOrElse(found, this::findAndDelete); // units were released meanwhile
            });
  }
}
