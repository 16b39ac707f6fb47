package dev.sluice.jdbc.rows;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.text.Names;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs work on a connection, on separate threads: a caller never blocks, and its transaction is
 * never joined. If the database rolls a transaction back, it is retried while there is time. Safe
 * for use by many threads.
 */
public final class SqlExecutor implements AutoCloseable {
  /*
   * If no answer came, the exception depends on whether the work has begun to write. Phase records
   * that. The work moves WAITING -> WRITING, the timer moves WAITING -> GONE. So an exception
   * which says that nothing was done is true.
   */
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Work on a connection; it may run again after a failure. */
  @FunctionalInterface
  public interface Work<T> {
    T in(SqlSession session) throws SQLException;
  }

  private enum Phase {
    WAITING,
    WRITING,
    GONE
  }

  /** The thread that runs a call. */
  private enum Runner {
    NONE,
    BUSY,
    LOST
  }

  private final String describe;
  private final SqlDialect dialect;
  private final SqlSession.Terms terms;
  private final Connections connections;
  private final Duration timeout;
  private final CallFailures failures;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor timer;

  /** The queued calls of each lane that has a call under way. */
  private final Map<String, Deque<Call<?>>> lanes = new ConcurrentHashMap<>();

  private final AtomicInteger waitingForConnection = new AtomicInteger();
  private final AtomicLong calls = new AtomicLong();

  /** The number of threads of the pool, and the most replacements for blocked threads. */
  private final int size;

  private int lost;

  /**
   * @param describe names the database in messages
   * @param dialect of the database
   * @param connections to it
   * @param timeout of a call
   * @param threads how many run concurrently
   * @param hint what helps against a failure, or null
   */
  public SqlExecutor(
      String describe,
      SqlDialect dialect,
      Connections connections,
      Duration timeout,
      int threads,
      Function<SQLException, @Nullable String> hint) {
    this.describe = describe;
    this.dialect = dialect;
    this.terms = new SqlSession.Terms(dialect, timeout, connections.areLent());
    this.connections = connections;
    this.timeout = timeout;
    this.failures = new CallFailures(describe, dialect, hint);
    this.size = threads;
    this.timer = new ScheduledThreadPoolExecutor(1, named("sluice-jdbc-timer"));
    this.timer.setRemoveOnCancelPolicy(true);
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            named("sluice-jdbc")) {
          @Override
          protected void terminated() { // closed, and no call needs its alarm any more
            timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
          }
        };
    this.threads.allowCoreThreadTimeOut(true);
  }

  private static ThreadFactory named(String name) {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + made.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  public SqlDialect dialect() {
    return dialect;
  }

  /** The timeout of a call. */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Runs work as soon as a thread is free.
   *
   * @param what names the call in messages
   * @param work what to do
   * @return its result, within the timeout
   */
  public <T> CompletableFuture<T> run(String what, Work<T> work) {
    Call<T> call = new Call<>(what, null, work);
    begin(call);
    return call.result;
  }

  /**
   * Runs work after earlier work of the same lane. So calls of one client stay in order, and two
   * threads do not compete for one row.
   *
   * @param what names the call in messages
   * @param lane what the work is about
   * @param work what to do
   * @return its result, within the timeout
   */
  public <T> CompletableFuture<T> run(String what, String lane, Work<T> work) {
    Call<T> call = new Call<>(what, lane, work);
    AtomicBoolean isFirst = new AtomicBoolean();
    lanes.compute(
        lane,
        (name, behind) -> {
          if (behind == null) {
            isFirst.set(true);
            return new ArrayDeque<>(0);
          }
          behind.add(call);
          return behind;
        });
    if (isFirst.get()) {
      begin(call);
    } else {
      call.setAlarm();
    }
    return call.result;
  }

  /** Starts the next call of the lane if this call cannot start. */
  private void begin(Call<?> first) {
    for (Call<?> call = first; call != null; call = call.nextOfLane()) {
      try {
        call.setAlarm();
        threads.execute(call);
        return;
      } catch (RejectedExecutionException e) {
        call.fail(closedFailure());
      } catch (OutOfMemoryError e) { // no thread can be had, at this moment
        call.fail(new BackendException(describe + ": no thread could be started", e));
      }
    }
  }

  private BackendException closedFailure() {
    return new BackendException(describe + " is closed", null);
  }

  /** A task on a connection. */
  @FunctionalInterface
  public interface Task {
    void in(SqlSession session) throws SQLException;
  }

  /** Runs a task as soon as a thread is free. */
  public CompletableFuture<Boolean> does(String what, Task task) {
    return run(
        what,
        session -> {
          task.in(session);
          return true;
        });
  }

  /**
   * Runs a task later; it must be short.
   *
   * @return to cancel it; null once this is closed: it is not needed any more
   */
  @Nullable
  public Future<?> in(long nanos, Runnable task) {
    try {
      return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return null;
    }
  }

  /** The number of tasks and alarms in the timer queue. */
  public int planned() {
    return timer.getQueue().size();
  }

  /** Whether a call waits for a connection. */
  public boolean lacksConnections() {
    return waitingForConnection.get() > 0;
  }

  /** A pool may block a thread forever, so other threads replace it, up to a bound. */
  private synchronized void changeLost(int by) {
    lost += by;
    int most = size + Math.min(size, lost);
    if (by > 0) {
      threads.setMaximumPoolSize(most);
      threads.setCorePoolSize(most);
    } else {
      threads.setCorePoolSize(most);
      threads.setMaximumPoolSize(most);
    }
  }

  private final class Call<T> implements Runnable, Comparable<Call<?>> {
    private final String what;
    private final @Nullable String lane;
    private final Work<T> work;
    private final long deadline = System.nanoTime() + timeout.toNanos();
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
    private final AtomicReference<Runner> thread = new AtomicReference<>(Runner.NONE);
    private final AtomicBoolean leftLane = new AtomicBoolean();
    private final long number = calls.getAndIncrement();

    /** The number of lock timeouts of this call; a call with fewer timeouts goes first. */
    private volatile int vain;

    private volatile @Nullable ScheduledFuture<?> alarm;
    private volatile @Nullable Future<?> search;

    Call(String what, @Nullable String lane, Work<T> work) {
      this.what = what;
      this.lane = lane;
      this.work = work;
    }

    void setAlarm() {
      if (alarm != null) {
        return;
      }
      try {
        alarm = timer.schedule(this::timeOut, deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        result.completeExceptionally(closedFailure());
      }
    }

    /** Starts the next call of the lane. */
    void leaveLane() {
      Call<?> next = nextOfLane();
      if (next != null) {
        begin(next);
      }
    }

    /** Removes and returns the next call of the lane; null if there is none. */
    @Nullable Call<?> nextOfLane() {
      if (lane == null || !leftLane.compareAndSet(false, true)) {
        return null;
      }
      AtomicReference<@Nullable Call<?>> next = new AtomicReference<>();
      lanes.computeIfPresent(
          lane,
          (name, behind) -> {
            next.set(behind.poll());
            return next.get() == null ? null : behind;
          });
      return next.get();
    }

    void timeOut() {
      boolean nothingDone = phase.compareAndSet(Phase.WAITING, Phase.GONE);
      result.completeExceptionally(failures.noAnswer(what, timeout, nothingDone));
      if (thread.get() == Runner.BUSY) { // it has as much time again to come back
        search = in(timeout.toNanos(), this::miss);
      }
    }

    private void miss() {
      if (!thread.compareAndSet(Runner.BUSY, Runner.LOST)) {
        return;
      }
      changeLost(1);
      if (phase.get() == Phase.GONE) { // nothing of it can reach the database any more
        leaveLane();
      }
    }

    private void comeBack() {
      Future<?> missed = search;
      if (missed != null) {
        missed.cancel(false);
      }
      if (thread.getAndSet(Runner.NONE) == Runner.LOST) {
        changeLost(-1);
      }
    }

    @Override
    public int compareTo(Call<?> other) {
      int order = Integer.compare(vain, other.vain);
      return order != 0 ? order : Long.compare(number, other.number);
    }

    @Override
    public void run() {
      thread.set(Runner.BUSY);
      boolean atItsEnd = true;
      try {
        atItsEnd = runToEnd();
      } finally {
        comeBack();
        if (atItsEnd) {
          leaveLane();
        }
      }
      if (!atItsEnd) {
        vain++; // only here, where it is not compared
        begin(this);
      }
    }

    /** False if another transaction locks the row; the call is queued again. */
    private boolean runToEnd() {
      for (int tries = 0; !result.isDone(); tries++) {
        try {
          succeed(attempt());
        } catch (SqlSession.Abandoned e) {
          return true; // told already
        } catch (SQLException e) {
          if (!again(e, tries)) {
            fail(failures.of(what, e, isWriting()));
          } else if (dialect.isRowTaken(e)) {
            return false;
          }
        } catch (SluiceException e) {
          fail(e);
        } catch (RuntimeException | Error e) {
          String failed = Names.quoted(what) + " failed at " + describe + ": " + e;
          fail(
              isWriting()
                  ? new OutcomeUnknownException(failed, e)
                  : new SluiceException(failed, e));
        }
      }
      return true;
    }

    private void succeed(T value) {
      stopAlarm();
      result.complete(value);
    }

    private void fail(Throwable failure) {
      stopAlarm();
      result.completeExceptionally(failure);
    }

    private void stopAlarm() {
      ScheduledFuture<?> set = alarm;
      if (set != null) {
        set.cancel(false);
      }
    }

    private boolean isWriting() {
      return phase.get() == Phase.WRITING;
    }

    private boolean mayWrite() {
      return isWriting() || phase.compareAndSet(Phase.WAITING, Phase.WRITING);
    }

    private void wroteNothing() {
      phase.compareAndSet(Phase.WRITING, Phase.WAITING);
    }

    private T attempt() throws SQLException {
      Connection connection = connect();
      boolean broken = true;
      try {
        if (phase.get() == Phase.GONE) {
          broken = false;
          throw new SqlSession.Abandoned();
        }
        SqlSession session = new SqlSession(terms, connection, this::mayWrite, this::wroteNothing);
        T value;
        try {
          value = work.in(session);
        } catch (SQLException e) {
          broken = !session.leave(e) || dialect.isBroken(e) || dialect.isReadOnly(e);
          throw e;
        } catch (RuntimeException | Error e) {
          broken = !session.leave(e);
          throw e;
        }
        broken = !session.leave(null); // the decision stands, even if this fails
        return value;
      } finally {
        connections.give(connection, broken);
      }
    }

    private Connection connect() throws SQLException {
      waitingForConnection.incrementAndGet();
      try {
        return connections.take();
      } catch (SQLException | RuntimeException e) { // a pool that was closed, for example
        throw new CallFailures.NoConnection(e);
      } finally {
        waitingForConnection.decrementAndGet();
      }
    }

    private boolean again(SQLException failure, int tries) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || !failures.isWorthATry(failure, tries, isWriting())) {
        return false;
      }
      wroteNothing(); // it was undone
      if (tries > 0) {
        long most =
            Math.min(MAX_PAUSE_NANOS, TimeUnit.MICROSECONDS.toNanos(200) << Math.min(tries, 8));
        LockSupport.parkNanos(Math.min(left, ThreadLocalRandom.current().nextLong(most)));
      }
      return true;
    }
  }

  @Override
  public void close() {
    // threads are not interrupted: a driver may answer that by closing the file of its database
    threads.shutdown();
    List<Runnable> waiting = new ArrayList<>();
    threads.getQueue().drainTo(waiting);
    for (Runnable each : waiting) {
      if (each instanceof Call<?> call) {
        call.fail(closedFailure());
        call.leaveLane();
      }
    }
    timer.shutdown(); // what is under way still has its alarm, and nothing else is waited for
    connections.close();
  }
}
