package dev.sluice.cli.terminal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * Handles signals that end this process. Before the command runs, the wait ends; while it runs, the
 * signal is passed on and this process lives until the command has ended. A shutdown hook could do
 * neither: it does not know which signal came, and the exit code is settled when it runs.
 */
public final class Signals implements AutoCloseable {
  private static final List<String> NAMES = List.of("INT", "TERM", "HUP");

  private final Thread waiting;

  // guarded by this
  private @Nullable Signal received;
  private @Nullable Child child;

  private Signals(Thread waiting) {
    this.waiting = waiting;
  }

  /** Makes the next signal interrupt this thread, once. */
  public static Signals interrupting(Thread waiting) {
    Signals signals = new Signals(waiting);
    for (String name : NAMES) {
      Signal.handle(new Signal(name), signals::onSignal);
    }
    return signals;
  }

  private synchronized void onSignal(Signal signal) {
    if (child != null) {
      child.signal(signal.getName());
    } else if (received == null) {
      received = signal;
      waiting.interrupt();
    } else {
      // a second signal ends the process immediately
      Runtime.getRuntime().halt(Exit.SIGNAL + signal.getNumber());
    }
  }

  /** The exit code of the signal, 0 if none came. */
  public synchronized int exitCode() {
    return received == null ? 0 : Exit.SIGNAL + received.getNumber();
  }

  /** Sends signals to the command, including one that came while it was started. */
  public synchronized void passTo(Child running) {
    child = running;
    Thread.interrupted();
    if (received != null) {
      running.signal(received.getName());
    }
  }

  /** Restores the JVM's handling. */
  @Override
  public void close() {
    for (String name : NAMES) {
      Signal.handle(new Signal(name), sun.misc.SignalHandler.SIG_DFL);
    }
  }
}
