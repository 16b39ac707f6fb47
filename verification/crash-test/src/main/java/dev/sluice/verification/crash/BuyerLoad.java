package dev.sluice.verification.crash;

import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.verification.crash.Answer.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Buyers: they claim, ask again by the same request when they heard nothing or even when they did,
 * wait for their order, and pay, give up, do both concurrently, or neither. All that they hear is
 * written down.
 */
final class BuyerLoad {
  private static final int MAX_TRIES = 60;
  private static final int MAX_LOOKS = 150;
  private static final int THINK_MILLIS = 60;

  private final String prefix;
  private final List<SellerProcess> sellers;
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicLong buyers = new AtomicLong();
  private final AtomicLong admitted = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isHonest;
  private volatile boolean isOver;

  BuyerLoad(String prefix, List<SellerProcess> sellers, int size, SplittableRandom random) {
    this.prefix = prefix;
    this.sellers = sellers;
    for (int i = 0; i < size; i++) {
      SplittableRandom dice = random.split();
      Thread thread = new Thread(() -> run(dice), "buyer-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** From now on all pay immediately. */
  void payFromNowOn() {
    isHonest = true;
  }

  /** Lets the present buyers finish, and admits no others. */
  void stop() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  List<Answer> answers() {
    return List.copyOf(answers);
  }

  long admitted() {
    return admitted.get();
  }

  private void run(SplittableRandom dice) {
    try {
      while (!isOver) {
        buy(prefix + buyers.incrementAndGet(), dice);
        if (!isHonest) {
          TimeUnit.MILLISECONDS.sleep(dice.nextInt(THINK_MILLIS));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void buy(String buyer, SplittableRandom dice) throws InterruptedException {
    BuyerReply told = claim(buyer, dice);
    if (told == null || told.what() != What.QUEUED) {
      if (told != null && told.what() == What.SOLD_OUT) {
        TimeUnit.MILLISECONDS.sleep(dice.nextInt(THINK_MILLIS));
      }
      return;
    }
    admitted.incrementAndGet();
    int plan = isHonest ? 0 : dice.nextInt(100);
    if (plan >= 95) {
      settle(Verb.CANCEL, buyer, told.claimId(), dice); // before it is an order
      return;
    }
    if (plan >= 80) {
      told = claim(buyer, dice); // the same request once more
    }
    BuyerReply order = await(buyer, dice);
    if (order == null || order.what() != What.ORDERED) {
      return;
    }
    long claim = order.claimId();
    if (plan < 55) {
      settle(Verb.PAY, buyer, claim, dice);
    } else if (plan < 65) {
      settle(Verb.CANCEL, buyer, claim, dice);
    } else if (plan < 75) {
      SplittableRandom other = dice.split();
      CompletableFuture<Void> second =
          CompletableFuture.runAsync(
              () -> settle(Verb.CANCEL, buyer, claim, other),
              task -> new Thread(task, "crash-second-request").start());
      settle(Verb.PAY, buyer, claim, dice);
      second.join();
    }
    ask(Verb.STATUS, buyer, "", 0, dice);
  }

  /** The same request, through any instance, until there is an answer. */
  private @Nullable BuyerReply claim(String buyer, SplittableRandom dice) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      BuyerReply told = ask(Verb.CLAIM, buyer, "r1", 0, dice);
      if (told != null && told.what() != What.CLOSED) {
        return told;
      }
      if (isOver && tries > 5) {
        return told;
      }
      pause();
    }
    return null;
  }

  /** Looks until the claim is an order; one that was forgotten is claimed again. */
  private @Nullable BuyerReply await(String buyer, SplittableRandom dice) {
    BuyerReply told = null;
    for (int looks = 0; looks < MAX_LOOKS && !(isOver && looks > 20); looks++) {
      told = ask(Verb.STATUS, buyer, "", 0, dice);
      if (told != null && told.what() == What.NOTHING) {
        told = claim(buyer, dice);
      }
      if (told != null && told.what() != What.QUEUED) {
        return told;
      }
      pause();
    }
    return told;
  }

  private void settle(Verb verb, String buyer, long claim, SplittableRandom dice) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      BuyerReply told = ask(verb, buyer, "" + claim, claim, dice);
      if (isOver && tries > 20 || told != null && told.what() != What.QUEUED) {
        return;
      }
      pause();
    }
  }

  private @Nullable BuyerReply ask(
      Verb verb, String buyer, String last, long claim, SplittableRandom dice) {
    long sent = System.nanoTime();
    BuyerReply told = sellers.get(dice.nextInt(sellers.size())).ask(verb, buyer, last);
    answers.add(
        new Answer(
            sent, System.nanoTime(), verb, buyer, verb == Verb.CLAIM ? last : "", claim, told));
    return told;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
