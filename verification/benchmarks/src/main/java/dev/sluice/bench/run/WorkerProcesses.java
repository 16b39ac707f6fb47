package dev.sluice.bench.run;

import dev.sluice.bench.systems.Candidate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;

/**
 * The worker processes of one library. Each library has its own processes, started when they are
 * first needed and kept, so that every round finds them warm and none has run another's code.
 */
public final class WorkerProcesses {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Candidate candidate;
  private final String uri;
  private final Duration ttl;
  private final Path folder;
  private final List<String> jvmFlags;
  private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();
  private int started;

  WorkerProcesses(
      Candidate candidate, String uri, Duration ttl, Path folder, List<String> jvmFlags) {
    this.candidate = candidate;
    this.uri = uri;
    this.ttl = ttl;
    this.folder = folder;
    this.jvmFlags = jvmFlags;
  }

  /** Makes sure that there are so many processes, connected and waiting for orders. */
  public void grow(int count) throws InterruptedException {
    List<WorkerProcess> fresh = new ArrayList<>();
    while (workers.size() < count) {
      String name =
          candidate.chapter() + "-" + candidate.id() + "-" + ttl.toMillis() + "-" + ++started;
      try {
        WorkerProcess worker = new WorkerProcess(name, candidate, uri, ttl, folder, jvmFlags);
        workers.add(worker);
        fresh.add(worker);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start " + name, e);
      }
    }
    for (WorkerProcess worker : fresh) {
      worker.<Boolean>receive(PATIENCE);
    }
  }

  /** Makes sure that there are so many processes, gives each its job, and collects the results. */
  public <T> List<T> runEach(int count, IntFunction<Job<T>> job) throws InterruptedException {
    grow(count);
    sendEach(count, job);
    return collectEach(count);
  }

  /** The same without results. */
  public void doEach(int count, IntFunction<Job.Step> step) throws InterruptedException {
    this.<Boolean>runEach(count, process -> job(step.apply(process)));
  }

  private static Job<Boolean> job(Job.Step step) {
    return worker -> {
      step.run(worker);
      return true;
    };
  }

  /** Gives each of the first so many processes its job; {@link #collectEach} is to follow. */
  public <T> void sendEach(int count, IntFunction<Job<T>> job) {
    for (int i = 0; i < count; i++) {
      workers.get(i).send(job.apply(i + 1));
    }
  }

  /** Collects the results of the first so many processes. */
  public <T> List<T> collectEach(int count) throws InterruptedException {
    List<T> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(workers.get(i).receive(PATIENCE));
    }
    return results;
  }

  /** Gives the first process a job. */
  public <T> T ask(Job<T> job) throws InterruptedException {
    return this.<T>runEach(1, process -> job).get(0);
  }

  /** Gives the first process a job without a result. */
  public void run(Job.Step step) throws InterruptedException {
    doEach(1, process -> step);
  }

  /**
   * Ends a process immediately, even in the middle of its work; {@link #grow} replaces it. Those
   * after it move up.
   *
   * @param number which one, from 1
   */
  public void kill(int number) throws InterruptedException {
    WorkerProcess worker = workers.remove(number - 1);
    worker.kill();
    worker.awaitEnd();
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
