package dev.sluice.verification.crash;

import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.flashsale.desk.Order;
import dev.sluice.verification.crash.Answer.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Holds the ledger, the store and the buyers' own log of one sale against each other. */
final class Checker {
  /** For this long an instance may answer "sold out" from memory: see InventoryOptions. */
  private static final long MEMO_NANOS = 400_000_000;

  private static final int MAX_OF_A_KIND = 5;
  private static final Set<What> CLAIMED = EnumSet.of(What.QUEUED, What.ORDERED, What.PAID);

  private final Evidence evidence;
  private final Map<Long, Order> rows = new HashMap<>();
  private final Map<String, List<String>> found = new java.util.TreeMap<>();

  private Checker(Evidence evidence) {
    this.evidence = evidence;
    evidence.orders().forEach(order -> rows.put(order.claimId(), order));
  }

  /**
   * Checks a sale.
   *
   * @param evidence of it
   * @return what is wrong, each with the invariant that it breaks; empty if all hold
   */
  static List<String> check(Evidence evidence) {
    Checker checker = new Checker(evidence);
    checker.stock();
    checker.buyers();
    checker.requests();
    checker.admissions();
    checker.promises();
    checker.window();
    List<String> all = new ArrayList<>(evidence.seen());
    checker.found.values().forEach(all::addAll);
    return all;
  }

  private void violated(String invariant, String what) {
    List<String> known = found.computeIfAbsent(invariant, i -> new ArrayList<>());
    if (known.size() < MAX_OF_A_KIND) {
      known.add(invariant + ": " + what);
    }
  }

  /** I1, I6, I9 and I11: units are neither made nor lost, by the database and by the store. */
  private void stock() {
    var count = evidence.count();
    var figures = evidence.figures();
    long total = evidence.total();
    if (count.live() > total) {
      violated("I1", count.live() + " live orders for " + total + " units");
    }
    if (count.total() != total || count.left() + count.live() != total) {
      violated(
          "I6",
          "the database has "
              + count.left()
              + " units left and "
              + count.live()
              + " sold"
              + " of "
              + total);
    }
    if (figures.total() != total) {
      violated("I11", "the store offers " + figures.total() + " units instead of " + total);
    }
    if (figures.left() != count.left()) {
      violated(
          "I6", "the store has " + figures.left() + " units left, the database " + count.left());
    }
    if (count.live() != total) {
      violated(
          "I9",
          "buyers came until the end, and "
              + count.live()
              + " of "
              + total
              + " sold: "
              + evidence.unsold());
    }
  }

  /** I2: one live order each. */
  private void buyers() {
    Set<String> seen = new HashSet<>();
    for (Order order : evidence.orders()) {
      if (order.state().isLive() && !seen.add(order.buyer())) {
        violated("I2", order.buyer() + " has two live orders");
      }
    }
  }

  /** I3: the same request gets the same claim, unless the store has lost it in between. */
  private void requests() {
    Map<String, List<Answer>> byRequest =
        evidence.answers().stream()
            .filter(answer -> answer.verb() == Verb.CLAIM && answer.told() != null)
            .sorted(Comparator.comparingLong(Answer::heardNanos))
            .collect(Collectors.groupingBy(answer -> answer.buyer() + "/" + answer.request()));
    byRequest.forEach(
        (request, answers) -> {
          Answer first = null;
          for (Answer answer : answers) {
            BuyerReply told = answer.told();
            if (told == null) {
              continue;
            }
            if (first == null) {
              first = CLAIMED.contains(told.what()) ? answer : null;
              continue;
            }
            BuyerReply before = first.told();
            boolean differs =
                told.what() == What.SOLD_OUT
                    ? answer.sentNanos() - first.heardNanos() > MEMO_NANOS
                    : told.claimId() != (before == null ? 0 : before.claimId());
            if (differs && !isLost(first.sentNanos(), answer.heardNanos())) {
              violated("I3", request + " was told " + before + " and then " + told);
            }
            if (differs && told.what() != What.SOLD_OUT) {
              first = answer;
            }
          }
        });
  }

  private boolean isLost(long begin, long end) {
    return evidence.losses().stream().anyMatch(loss -> loss.touches(begin, end));
  }

  /** I4: an admission becomes one row, unless the store has lost it, or it was given up before. */
  private void admissions() {
    Set<Long> givenUp =
        evidence.answers().stream()
            .filter(answer -> answer.verb() == Verb.CANCEL)
            .map(Answer::claimId)
            .collect(Collectors.toSet());
    for (Answer answer : evidence.answers()) {
      BuyerReply told = answer.told();
      if (told != null
          && told.what() == What.QUEUED
          && told.claimId() != 0
          && !rows.containsKey(told.claimId())
          && !givenUp.contains(told.claimId())
          && !isLost(admitted(told.claimId()), answer.heardNanos())) {
        violated("I4", answer.buyer() + " was admitted by claim " + told.claimId() + ": no row");
      }
    }
    if (evidence.waiting() != 0) {
      violated("I4", evidence.waiting() + " claims were never drained");
    }
    if (evidence.requeued() != 0) {
      violated("I4", evidence.requeued() + " claims were acknowledged before they had a row");
    }
  }

  /** {@return when a claim was first heard of} */
  private long admitted(long claimId) {
    return evidence.answers().stream()
        .filter(answer -> answer.told() != null && answer.told().claimId() == claimId)
        .mapToLong(Answer::sentNanos)
        .min()
        .orElse(0);
  }

  /** I5 and I12: what was told about an order is so, and stays so. */
  private void promises() {
    Map<Long, Set<What>> told = new HashMap<>();
    for (Answer answer : evidence.answers()) {
      BuyerReply what = answer.told();
      if (what != null && what.claimId() != 0) {
        told.computeIfAbsent(what.claimId(), id -> EnumSet.noneOf(What.class)).add(what.what());
      }
    }
    told.forEach(
        (claim, words) -> {
          Order row = rows.get(claim);
          boolean promised = words.contains(What.ORDERED) || words.contains(What.PAID);
          if (promised && (row == null || row.state() == Order.State.REJECTED)) {
            violated("I5", "claim " + claim + " was told " + words + " and its row is " + row);
          }
          if (words.contains(What.PAID) && words.contains(What.CANCELLED)) {
            violated("I12", "claim " + claim + " was told to be both paid and cancelled");
          }
          if (words.contains(What.PAID) && row != null && row.state() != Order.State.PAID) {
            violated("I12", "claim " + claim + " was told to be paid and its row is " + row);
          }
          if (words.contains(What.CANCELLED) && row != null && row.state().isLive()) {
            violated("I12", "claim " + claim + " was told to be cancelled and its row is " + row);
          }
        });
  }

  /** I8: a returned unit went to another buyer. */
  private void window() {
    long soldOut =
        evidence.answers().stream()
            .filter(answer -> answer.told() != null && answer.told().what() == What.SOLD_OUT)
            .mapToLong(Answer::heardNanos)
            .min()
            .orElse(Long.MAX_VALUE);
    boolean cameBack =
        evidence.answers().stream()
            .anyMatch(
                answer ->
                    answer.verb() == Verb.CANCEL
                        && answer.sentNanos() > soldOut
                        && answer.told() != null
                        && answer.told().what() == What.CANCELLED);
    boolean admittedAgain =
        evidence.answers().stream()
            .anyMatch(
                answer ->
                    answer.verb() == Verb.CLAIM
                        && answer.sentNanos() > soldOut
                        && answer.told() != null
                        && answer.told().what() == What.QUEUED);
    if (cameBack && !admittedAgain) {
      violated("I8", "units came back after it was sold out, and no buyer got them");
    }
  }
}
