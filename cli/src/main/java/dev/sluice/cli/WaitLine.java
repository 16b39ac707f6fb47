package dev.sluice.cli;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.lock.LockInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A line on the terminal that says who is waited for and for how long, once a wait takes more than
 * two seconds. Silent where the error output is no terminal.
 */
final class WaitLine implements AutoCloseable {
  private static final long FIRST_MILLIS = 2000;
  private static final long EACH_MILLIS = 500;
  private static final String CLEAR = "\r\033[K";

  private final Sluice sluice;
  private final String name;
  private final PrintWriter err;
  private final long start = System.nanoTime();
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Thread thread;

  private WaitLine(Sluice sluice, String name, PrintWriter err) {
    this.sluice = sluice;
    this.name = name;
    this.err = err;
  }

  static WaitLine start(Sluice sluice, String name, PrintWriter err) {
    WaitLine line = new WaitLine(sluice, name, err);
    Thread thread = new Thread(line::show, "sluice-wait-line");
    thread.setDaemon(true);
    line.thread = thread;
    thread.start();
    return line;
  }

  private void show() {
    try {
      if (over.await(FIRST_MILLIS, TimeUnit.MILLISECONDS) || !isTerminal()) {
        return;
      }
      do {
        String text = text();
        if (over.getCount() > 0) {
          err.print(CLEAR + text);
          err.flush();
        }
      } while (!over.await(EACH_MILLIS, TimeUnit.MILLISECONDS));
      err.print(CLEAR);
      err.flush();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String text() {
    Duration waited = Duration.ofNanos(System.nanoTime() - start);
    try {
      return text(sluice.lockInfo(name), sluice.clientId(), waited);
    } catch (BackendException e) {
      return "sluice: waiting for '"
          + Text.visible(name)
          + "', "
          + Durations.brief(waited)
          + "; no answer from "
          + Text.visible(sluice.describe());
    } catch (SluiceException | IllegalStateException e) {
      return ""; // the wait itself says what is wrong
    }
  }

  /** "sluice: waiting for 'x', 12.3s; held by k3J9sQ2x; 2 wait before us". */
  static String text(LockInfo lock, String client, Duration waited) {
    StringBuilder out = new StringBuilder("sluice: waiting for '");
    out.append(Text.visible(lock.name())).append("', ").append(Durations.brief(waited));
    lock.holder()
        .ifPresent(holder -> out.append("; held by ").append(Text.shortId(holder.client())));
    int before = place(lock.waiters(), client);
    if (before > 0) {
      out.append("; ").append(before).append(before == 1 ? " waits" : " wait").append(" before us");
    }
    return out.toString();
  }

  private static int place(List<LockInfo.Waiter> waiters, String client) {
    for (int i = 0; i < waiters.size(); i++) {
      if (waiters.get(i).client().equals(client)) {
        return i;
      }
    }
    return 0;
  }

  /** Java 17 cannot ask about the error output alone. */
  private static boolean isTerminal() {
    try {
      return new ProcessBuilder("/bin/sh", "-c", "test -t 2").inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Takes the line away; when this returns nothing more is written. */
  @Override
  public void close() {
    over.countDown();
    boolean interrupted = Thread.interrupted();
    try {
      if (thread != null) {
        thread.join(TimeUnit.SECONDS.toMillis(1));
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
