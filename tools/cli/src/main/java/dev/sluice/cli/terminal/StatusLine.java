package dev.sluice.cli.terminal;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A status line on the terminal, once a command takes more than two seconds. Silent where the error
 * output is no terminal.
 */
public final class StatusLine implements AutoCloseable {
  private static final long FIRST_MILLIS = 2000;
  private static final long EACH_MILLIS = 500;
  private static final String CLEAR = "\r\033[K";

  private final Supplier<String> text;
  private final PrintWriter err;
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Thread thread;

  private StatusLine(Supplier<String> text, PrintWriter err) {
    this.text = text;
    this.err = err;
  }

  /** Shows the text of a supplier, which a separate thread calls. */
  public static StatusLine start(PrintWriter err, Supplier<String> text) {
    StatusLine line = new StatusLine(text, err);
    Thread thread = new Thread(line::show, "sluice-status-line");
    thread.setDaemon(true);
    line.thread = thread;
    thread.start();
    return line;
  }

  private void show() {
    try {
      if (over.await(FIRST_MILLIS, TimeUnit.MILLISECONDS) || !Terminal.is(Terminal.ERROR_OUTPUT)) {
        return;
      }
      do {
        String now = text.get();
        if (over.getCount() > 0) {
          err.print(CLEAR + now);
          err.flush();
        }
      } while (!over.await(EACH_MILLIS, TimeUnit.MILLISECONDS));
      err.print(CLEAR);
      err.flush();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Clears the line; nothing is written after this method returns. */
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
