package dev.sluice.bench.run;

import dev.sluice.bench.systems.Peer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The worker processes of one library. Each library has processes of its own, started when they are
 * first needed and kept, so that every round finds them warm and none has run another's code.
 */
public final class Fleet {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Peer kind;
  private final String uri;
  private final Duration ttl;
  private final Path folder;
  private final List<String> jvmFlags;
  private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();
  private int started;

  Fleet(Peer kind, String uri, Duration ttl, Path folder, List<String> jvmFlags) {
    this.kind = kind;
    this.uri = uri;
    this.ttl = ttl;
    this.folder = folder;
    this.jvmFlags = jvmFlags;
  }

  /** Makes sure that there are so many processes, connected and waiting for orders. */
  void grow(int count) throws InterruptedException {
    List<WorkerProcess> fresh = new ArrayList<>();
    while (workers.size() < count) {
      String name = kind.chapter() + "-" + kind.id() + "-" + ttl.toMillis() + "-" + ++started;
      try {
        WorkerProcess worker = new WorkerProcess(name, kind, uri, ttl, folder, jvmFlags);
        workers.add(worker);
        fresh.add(worker);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start " + name, e);
      }
    }
    for (WorkerProcess worker : fresh) {
      worker.receive(Reply.Done.class, PATIENCE);
    }
  }

  /** Gives each of the first so many processes its order, then collects the answers. */
  <T extends Reply> List<T> askEach(int count, Class<T> type, OrderFor order)
      throws InterruptedException {
    tellEach(count, order);
    return hearEach(count, type);
  }

  /** Gives each of the first so many processes its order; {@link #hearEach} is to follow. */
  void tellEach(int count, OrderFor order) {
    for (int i = 0; i < count; i++) {
      workers.get(i).send(order.process(i + 1));
    }
  }

  /** Collects the answers of the first so many processes. */
  <T extends Reply> List<T> hearEach(int count, Class<T> type) throws InterruptedException {
    List<T> replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(workers.get(i).receive(type, PATIENCE));
    }
    return replies;
  }

  /**
   * Ends a process at once, whatever it does; {@link #grow} replaces it. Those after it move up.
   *
   * @param number which one, from 1
   */
  void kill(int number) throws InterruptedException {
    WorkerProcess worker = workers.remove(number - 1);
    worker.kill();
    worker.awaitEnd();
  }

  /** Asks the first process. */
  <T extends Reply> T ask(Class<T> type, Order order) throws InterruptedException {
    grow(1);
    return askEach(1, type, process -> order).get(0);
  }

  /** What to ask of a process, numbered from 1. */
  interface OrderFor {
    Order process(int number);
  }

  void kill() {
    workers.forEach(WorkerProcess::kill);
  }

  void dismiss() {
    workers.forEach(WorkerProcess::dismiss);
  }

  void awaitEnd() throws InterruptedException {
    for (WorkerProcess worker : workers) {
      worker.awaitEnd();
    }
  }
}
