package dev.sluice.bench.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Separates commands that clients sent from those that scripts ran: MONITOR marks the latter with
 * "lua" in place of an address.
 */
public final class Monitor implements AutoCloseable {
  private final Socket socket;
  private final Thread reader;
  private final String about;
  private volatile long sent;
  private volatile long executed;

  /**
   * @param about part of every command of interest, such as a lock's name; empty for all
   */
  Monitor(int port, String about) throws IOException {
    this.about = about;
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1), 1 << 16);
    lines.readLine(); // +OK
    reader = new Thread(() -> count(lines), "bench-monitor");
    reader.setDaemon(true);
    reader.start();
  }

  private void count(BufferedReader lines) {
    try {
      String line;
      while ((line = lines.readLine()) != null) {
        int from = line.indexOf('[');
        int to = line.indexOf(']', from + 1);
        if (from < 0
            || to < 0
            || !ServerCounters.counts(command(line, to))
            || !line.contains(about)) {
          continue; // not of interest, or without an address: the rest of an argument with a line
          // break in it
        }
        executed++;
        if (!line.substring(from, to).endsWith(" lua")) {
          sent++;
        }
      }
    } catch (IOException e) {
      // closed: what was counted stands
    }
  }

  /** A line reads {@code 1700000000.123456 [0 127.0.0.1:5000] "get" "key"}. */
  private static String command(String line, int addressEnd) {
    int from = line.indexOf('"', addressEnd) + 1;
    int to = line.indexOf('"', from);
    return to < 0 ? "" : line.substring(from, to).toLowerCase(Locale.ROOT);
  }

  /** {@return the share of executed commands that came from clients; NaN if there was none} */
  double shareSent() {
    return executed == 0 ? Double.NaN : (double) sent / executed;
  }

  /** {@return how many commands clients sent} */
  public long sent() {
    return sent;
  }

  @Override
  public void close() throws IOException {
    socket.close();
    try {
      reader.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
