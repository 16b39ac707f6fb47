package dev.sluice.bench.run;

import dev.sluice.bench.systems.BloomKind;
import dev.sluice.bench.systems.CacheKind;
import dev.sluice.bench.systems.EngineKind;
import dev.sluice.bench.systems.FamilyKind;
import dev.sluice.bench.systems.LimitKind;
import dev.sluice.bench.systems.QuorumKind;
import dev.sluice.bench.systems.ScaleKind;
import dev.sluice.bench.systems.StockKind;
import dev.sluice.bench.systems.SystemKind;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.time.Duration;

/**
 * A process that uses one library and does what it is told over its standard input. It ends when
 * that input ends, so it never outlives the process that started it.
 */
public final class Worker {
  /** The line before the first reply: the JVM itself may print before it. */
  static final String READY = "sluice-bench-worker";

  private final Hands hands;

  private Worker(Hands hands) {
    this.hands = hands;
  }

  /**
   * Runs until the input ends.
   *
   * @param args chapter, name of a {@link SystemKind}, {@link QuorumKind}, {@link LimitKind},
   *     {@link BloomKind}, {@link CacheKind}, {@link FamilyKind}, {@link StockKind}, {@link
   *     ScaleKind} or {@link EngineKind}, URI of the server, TTL in milliseconds
   */
  public static void main(String[] args) throws Exception {
    PrintStream stdout = System.out;
    System.setOut(System.err); // libraries may print; the replies have stdout to themselves
    stdout.println("\n" + READY);
    stdout.flush();
    ObjectOutputStream replies = new ObjectOutputStream(stdout);
    replies.flush();
    ObjectInputStream orders = new ObjectInputStream(new BufferedInputStream(System.in));
    try {
      Duration ttl = Duration.ofMillis(Long.parseLong(args[3]));
      Worker worker =
          new Worker(
              switch (args[0]) {
                case LimitKind.CHAPTER -> new LimitHands(LimitKind.valueOf(args[1]).open(args[2]));
                case BloomKind.CHAPTER -> new BloomHands(BloomKind.valueOf(args[1]).open(args[2]));
                case CacheKind.CHAPTER -> new CacheHands(CacheKind.valueOf(args[1]).open(args[2]));
                case QuorumKind.CHAPTER ->
                    new LockHands(QuorumKind.valueOf(args[1]).open(args[2], ttl));
                case FamilyKind.CHAPTER ->
                    new LockHands(FamilyKind.valueOf(args[1]).open(args[2], ttl));
                case StockKind.CHAPTER -> new LockHands(StockKind.valueOf(args[1]).open(args[2]));
                case ScaleKind.CHAPTER -> new CrowdHands(ScaleKind.valueOf(args[1]).open(args[2]));
                case EngineKind.CHAPTER ->
                    new LockHands(EngineKind.valueOf(args[1]).open(args[2], ttl));
                default -> new LockHands(SystemKind.valueOf(args[1]).open(args[2], ttl));
              });
      send(replies, new Reply.Done());
      while (true) {
        Order order = (Order) orders.readObject();
        send(replies, worker.answer(order));
      }
    } catch (EOFException e) {
      System.exit(0); // dismissed, or nobody is left to report to
    } catch (Exception e) {
      send(replies, new Reply.Failed(String.valueOf(e)));
      Runtime.getRuntime().halt(1);
    }
  }

  private static void send(ObjectOutputStream replies, Reply reply) throws IOException {
    replies.writeObject(reply);
    replies.reset();
    replies.flush();
  }

  private Reply answer(Order order) {
    try {
      return hands.follow(order);
    } catch (Exception e) {
      e.printStackTrace();
      return new Reply.Failed(order + ": " + e);
    }
  }
}
