package dev.sluice.cli.lock;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.StatusLine;
import dev.sluice.cli.terminal.Text;
import dev.sluice.lock.LockInfo;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** Shows the lock that is waited for, its holder and the elapsed time. */
final class WaitProgress {
  private WaitProgress() {}

  static StatusLine start(Sluice sluice, String name, PrintWriter err) {
    long start = System.nanoTime();
    return StatusLine.start(err, () -> text(sluice, name, System.nanoTime() - start));
  }

  private static String text(Sluice sluice, String name, long nanos) {
    Duration waited = Duration.ofNanos(nanos);
    try {
      return text(sluice.inspect().lock(name), sluice.clientId(), waited);
    } catch (BackendException e) {
      return "sluice: waiting for '"
          + Text.visible(name)
          + "', "
          + DurationText.brief(waited)
          + "; no answer from "
          + Text.visible(sluice.describe());
    } catch (SluiceException | IllegalStateException e) {
      return ""; // the wait itself says what is wrong
    }
  }

  /** Formats "sluice: waiting for 'x', 12.3s; held by k3J9sQ2x; 2 wait before us". */
  static String text(LockInfo lock, String client, Duration waited) {
    StringBuilder out = new StringBuilder("sluice: waiting for '");
    out.append(Text.visible(lock.name())).append("', ").append(DurationText.brief(waited));
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
}
