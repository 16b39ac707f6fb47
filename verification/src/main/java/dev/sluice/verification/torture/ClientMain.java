package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * One client process: connects to the servers and to the desk of the run, and starts its workers.
 * It ends when the desk closes.
 */
public final class ClientMain {
  private static final Duration BEAT = Duration.ofMillis(100);

  private static final Duration MAX_START = Duration.ofSeconds(100);

  private final Writer out;
  private final BufferedReader in;
  private final AtomicInteger operations;
  private final Map<Integer, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
  private final List<CallerLoop> workers = new ArrayList<>();
  private volatile boolean isEnding;

  private ClientMain(Socket desk, int firstOperation) throws IOException {
    this.out =
        new BufferedWriter(
            new OutputStreamWriter(desk.getOutputStream(), StandardCharsets.UTF_8), 1 << 16);
    this.in =
        new BufferedReader(new InputStreamReader(desk.getInputStream(), StandardCharsets.UTF_8));
    this.operations = new AtomicInteger(firstOperation);
  }

  /**
   * Runs until the desk ends the run, or closes.
   *
   * @param args port of the desk, first operation number, system, plant, URI, names, workers, seed
   * @throws Exception if it cannot connect
   */
  public static void main(String[] args) throws Exception {
    for (String noisy :
        List.of("dev.sluice", "io.lettuce", "io.netty", "org.redisson", "org.postgresql")) {
      QUIET.add(Logger.getLogger(noisy));
    }
    QUIET.forEach(logger -> logger.setLevel(Level.OFF)); // losses are what a run is made of
    int status = 1;
    try (Socket desk = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]))) {
      desk.setTcpNoDelay(true);
      status = new ClientMain(desk, Integer.parseInt(args[1])).run(args);
    } catch (Exception e) {
      e.printStackTrace();
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  /** Loggers are kept from being collected, or they would forget their level. */
  private static final List<Logger> QUIET = new ArrayList<>();

  private int run(String[] args) throws Exception {
    PlantedFault plant = PlantedFault.valueOf(args[3]);
    try (LockClient client = client(args, plant)) {
      open(client, args[4]);
      WorkloadMix mix = WorkloadMix.of(client.word());
      long seed = Long.parseLong(args[7]);
      for (int i = 0; i < Integer.parseInt(args[6]); i++) {
        workers.add(new CallerLoop(this, client, mix, List.of(args[5].split(",")), seed * 31 + i));
      }
      say(at -> "READY " + at + " " + args[1]);
      workers.forEach(CallerLoop::start);
      Thread beat = new Thread(this::beat, "sluice-torture-beat");
      beat.setDaemon(true);
      beat.start();
      listen();
      return 0;
    }
  }

  /** The servers may be in trouble just now. */
  private static void open(LockClient client, String uri) throws Exception {
    for (long end = System.nanoTime() + MAX_START.toNanos(); ; ) {
      try {
        client.open(uri, CallerLoop.MAX_TTL);
        return;
      } catch (Exception e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        Thread.sleep(BEAT.toMillis());
      }
    }
  }

  private static LockClient client(String[] args, PlantedFault plant) {
    String word = args[2];
    if (word.equals(SluiceClient.WORD)) {
      return args[4].equals(MemoryTopology.URI)
          ? new MemoryClient(plant, Long.parseLong(args[7]))
          : new SluiceClient(plant);
    }
    for (LockClient client : ServiceLoader.load(LockClient.class)) {
      if (client.word().equals(word)) {
        return client;
      }
    }
    throw new IllegalArgumentException("no such system: " + word);
  }

  /** Reports to the desk that nothing older will come, and how far leases reach. */
  private void beat() {
    try {
      for (int beats = 0; ; beats++) {
        Thread.sleep(BEAT.toMillis() / 5);
        workers.forEach(CallerLoop::look);
        if (beats % 5 == 0) {
          say(at -> "H " + at);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void listen() throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", 3);
      switch (words[0]) {
        case "!" -> {
          CompletableFuture<String> answer = asked.remove(Integer.parseInt(words[1]));
          if (answer != null) {
            answer.complete(words[2]);
          }
        }
        case "PHASE" -> {
          CallerLoop.Phase phase = CallerLoop.Phase.valueOf(words[1]);
          int number = Integer.parseInt(words[2]);
          workers.forEach(worker -> worker.phase(phase, number));
        }
        case "END" -> {
          isEnding = true;
          return;
        }
        default -> throw new IOException("not understood: " + line);
      }
    }
    Runtime.getRuntime().halt(2); // the desk has closed: no final message is needed
  }

  int nextOperation() {
    return operations.incrementAndGet();
  }

  /** Writes a line that bears the time of its writing: no line is older than the one before it. */
  void say(LongFunction<String> line) {
    synchronized (out) {
      try {
        out.write(line.apply(System.nanoTime()) + "\n");
        out.flush();
      } catch (IOException e) {
        if (!isEnding) { // else we have hung up ourselves
          Runtime.getRuntime().halt(2); // the desk has closed
        }
      }
    }
  }

  void report(LongFunction<Event> event) {
    say(at -> EventText.write(event.apply(at)));
  }

  /** Asks the guarded resource. */
  String ask(String request) {
    int number = nextOperation();
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.put(number, answer);
    say(at -> "? " + at + " " + number + " " + request);
    return answer.join();
  }
}
