package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.TemporaryFolders;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The client processes and the desk that they report to. */
final class ClientProcesses implements AutoCloseable {
  private static final int OPERATIONS_EACH = 1_000_000;
  private static final long MAX_CLOCK_DIFFERENCE = TimeUnit.SECONDS.toNanos(20);

  private final TortureSettings settings;
  private final String uri;
  private final @Nullable ClockShim clock;
  private final @Nullable ClockShim machineClock;
  private final Merge merge;
  private final FaultScheduler.Desk desk;
  private final Resource resource;
  private final ServerSocket listener;
  private final Path scratch;
  private final Map<Integer, ClientProcess> all = new ConcurrentHashMap<>();
  private final Map<String, Integer> done = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private volatile boolean ending;

  ClientProcesses(
      TortureSettings settings,
      FaultyServers topology,
      @Nullable ClockShim clock,
      Merge merge,
      FaultScheduler.Desk desk,
      Resource resource)
      throws IOException {
    this.settings = settings;
    this.uri = topology.uri();
    this.clock = clock;
    this.machineClock = topology.machineClock();
    this.merge = merge;
    this.desk = desk;
    this.resource = resource;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.scratch = Files.createTempDirectory("sluice-torture");
    daemon("accept", this::accept);
  }

  private static void daemon(String what, Runnable task) {
    Thread thread = new Thread(task, "sluice-torture-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts one more process; it is there when it has called. */
  synchronized void start() {
    if (ending) {
      return;
    }
    int number = all.size() + 1;
    String id = "c" + number;
    merge.open(id);
    ClientProcess process =
        new ClientProcess(
            id,
            machineClock != null || clock == null ? machineClock : clock.another(),
            settings.workers(),
            scratch,
            List.of(
                "" + listener.getLocalPort(),
                "" + number * OPERATIONS_EACH,
                settings.system(),
                settings.plant().name(),
                uri,
                String.join(",", TortureSettings.NAMES),
                "" + settings.workers(),
                "" + (settings.seed() * 1009 + number)));
    all.put(number, process);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        daemon("client", () -> read(socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void read(Socket socket) {
    ClientProcess process = null;
    try (socket) {
      socket.setTcpNoDelay(true);
      // the first line says who it is; it is read byte by byte, as the rest is the process's
      String[] hello = firstLine(socket).split(" ");
      process = all.get(Integer.parseInt(hello[2]) / OPERATIONS_EACH);
      if (process == null
          || Math.abs(Long.parseLong(hello[1]) - System.nanoTime()) > MAX_CLOCK_DIFFERENCE) {
        complaints.add("processes do not share a monotonic clock here: no history can be merged");
        return;
      }
      BufferedReader lines = process.connected(socket);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        receive(process, line);
      }
    } catch (IOException e) {
      // killed
    } finally {
      if (process != null) {
        if (process.isUp() && !ending) {
          complaints.add("client " + process.id + " hung up");
        }
        merge.close(process.id);
      }
    }
  }

  private static String firstLine(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = socket.getInputStream().read(); c != '\n'; c = socket.getInputStream().read()) {
      if (c < 0) {
        throw new IOException("hung up");
      }
      line.append((char) c);
    }
    return line.toString();
  }

  private void receive(ClientProcess process, String line) {
    String[] words = line.split(" ", 4);
    switch (words[0]) {
      case "H" -> merge.heard(process.id, Long.parseLong(words[1]));
      case "?" -> {
        process.send("! " + words[2] + " " + resource.access(words[3]));
        merge.heard(process.id, Long.parseLong(words[1]));
      }
      case "DONE" -> done.merge(process.id + " " + words[2], 1, Integer::sum);
      default -> merge.add(process.id, EventText.read(process.id, line));
    }
  }

  private List<ClientProcess> up() {
    return all.values().stream().filter(ClientProcess::isUp).toList();
  }

  /** Waits until all that are alive have called. */
  boolean awaitCalls(Duration most) throws InterruptedException {
    return await(most, () -> up().stream().allMatch(ClientProcess::isConnected));
  }

  /** Sends a command to all, and waits until all workers have carried it out. */
  boolean order(CallerLoop.Phase phase, int number, Duration most, BooleanSupplier over)
      throws InterruptedException {
    up().forEach(process -> process.send("PHASE " + phase + " " + number));
    return phase == CallerLoop.Phase.RUN
        || await(
            most,
            () ->
                over.getAsBoolean()
                    || up().stream()
                        .allMatch(p -> done.getOrDefault(p.id + " " + number, 0) >= p.workers));
  }

  static boolean await(Duration most, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return true;
  }

  List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    faults.add(new Fault("client stopped", 6, (random, notes) -> stopOne(random)));
    faults.add(new Fault("client killed", 1, (random, notes) -> killOne(random)));
    if (machineClock == null) {
      faults.add(new Fault("client's clock", 1, (random, notes) -> moveClock(random)));
    }
    return faults;
  }

  private @Nullable ClientProcess any(RandomGenerator random) {
    List<ClientProcess> ready = up().stream().filter(ClientProcess::isConnected).toList();
    return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
  }

  private String stopOne(RandomGenerator random) throws InterruptedException {
    ClientProcess process = any(random);
    if (process == null) {
      return "";
    }
    long millis = random.nextLong(20, random.nextBoolean() ? 500 : 3000);
    desk.say(at -> new Event.Fault(at, Kind.PAUSED, process.id, 0));
    process.pause();
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } finally {
      process.resume();
      desk.say(at -> new Event.Fault(at, Kind.RESUMED, process.id, 0));
    }
    return process.id + " stopped for " + millis + " ms";
  }

  private String killOne(RandomGenerator random) throws InterruptedException {
    ClientProcess process = any(random);
    if (process == null) {
      return "";
    }
    process.kill();
    desk.say(at -> new Event.Fault(at, Kind.GONE, process.id, 0));
    TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
    start();
    return process.id + " killed";
  }

  private String moveClock(RandomGenerator random) {
    ClientProcess process = any(random);
    ClockShim own = process == null ? null : process.clock();
    if (process == null || own == null) {
      return "";
    }
    own.set(Duration.ofSeconds(random.nextLong(-3600, 3601)));
    return "wall clock of " + process.id + " at " + own.ahead().toSeconds() + " s";
  }

  /** Lets all end by themselves. */
  void end() throws InterruptedException {
    List<ClientProcess> alive = up();
    ending = true;
    alive.forEach(process -> process.send("END"));
    for (ClientProcess process : alive) {
      process
          .awaitEnd(15)
          .ifPresent(complaint -> complaints.add("client " + process.id + " " + complaint));
    }
  }

  List<String> complaints() {
    return complaints;
  }

  @Override
  public synchronized void close() {
    ending = true;
    all.values().forEach(ClientProcess::close);
    try {
      listener.close();
    } catch (IOException e) {
      complaints.add("the desk could not be closed: " + e);
    }
    TemporaryFolders.delete(scratch);
  }
}
