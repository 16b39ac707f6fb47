package dev.sluice.redis.quorum;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A quorum without a network: the real rounds of clients over {@link QuorumNode}s, one thread, and
 * a seed that decides which message arrives next, which is lost, late or repeated, which entry ends
 * early, and which node forgets. Two promises are checked at each grant: tokens are unique and grow
 * in the order of grants; and, where nothing ends early, no two clients believe.
 */
final class QuorumWorld {
  private static final String NAME = "x";
  private static final long TTL = 1_000_000;
  private static final long MARGIN = 13_000;

  /** The bounds of a search. */
  record Case(
      int nodes,
      boolean early,
      boolean amnesia,
      Supplier<QuorumNode> makeNode,
      Function<QuorumPeer, QuorumPeer> line,
      Rejoin rejoin) {}

  /** The state in which a node without data returns. */
  enum Rejoin {
    WAIT_THEN_LEARN,
    LEARN_THEN_WAIT,
    WAIT_ONLY,
    AT_ONCE
  }

  /** A message that has not arrived. */
  private record Message(Node to, Runnable arrival) {}

  private final class Node implements QuorumPeer {
    final QuorumNode state;
    String run;
    int runs;
    // coming back
    List<Round> openAtTheLoss = List.of();
    long learnt = -1;

    Node(int number) {
      state = which.makeNode.get();
      run = nextRun(number);
      state.requestJoin(run, "id", false);
      state.join(run, "id", 0, 10 * TTL);
    }

    private String nextRun(int number) {
      return ("run" + number + "-" + runs++ + "-").concat("r".repeat(40)).substring(0, 40);
    }

    private CompletionStage<Vote> send(Function<String, Vote> verb) {
      String meant = run;
      CompletableFuture<Vote> answer = new CompletableFuture<>();
      Runnable arrival =
          () -> {
            Vote vote = verb.apply(meant);
            if (random.nextInt(12) == 0) { // the answer is lost
              answer.completeExceptionally(new OutcomeUnknownException("lost", null));
            } else {
              replies.add(() -> answer.complete(vote));
            }
          };
      if (random.nextInt(8) == 0) { // the request is lost
        answer.completeExceptionally(new OutcomeUnknownException("lost", null));
        return answer;
      }
      messages.add(new Message(this, arrival));
      if (random.nextInt(12) == 0) { // it arrives twice
        messages.add(
            new Message(
                this,
                () -> {
                  var unheard = verb.apply(meant);
                }));
      }
      return answer;
    }

    @Override
    public String describe() {
      return "node";
    }

    @Override
    public boolean isSlow() {
      return false;
    }

    @Override
    public CompletionStage<Vote> acquire(GrantRequest r, long token, int block) {
      return send(
          to ->
              state.acquire(now, to, NAME, r.client(), r.attempt(), TTL, token, block, r.queue()));
    }

    @Override
    public CompletionStage<Vote> raise(GrantRequest r, long token, int block) {
      return send(to -> state.raise(now, to, NAME, r.client(), r.attempt(), token, block));
    }

    @Override
    public CompletionStage<Vote> renew(String name, String client, long attempt, long ttl) {
      return send(to -> state.renew(now, to, NAME, client, attempt, ttl));
    }

    @Override
    public CompletionStage<Vote> release(String name, String client, long attempt, boolean waits) {
      return send(to -> state.release(now, to, NAME, client, attempt, waits));
    }

    @Override
    public CompletionStage<NodeView> inspect(String name) {
      throw new UnsupportedOperationException();
    }

    void forget(int number) {
      state.lose();
      run = nextRun(number);
      state.requestJoin(run, "id", false);
      openAtTheLoss = clients.stream().map(c -> c.round).filter(r -> r != null).toList();
      learnt = -1;
      if (which.rejoin == Rejoin.AT_ONCE) {
        state.join(run, "id", 0, 10 * TTL);
      } else if (which.rejoin == Rejoin.LEARN_THEN_WAIT) {
        learn();
      }
    }

    private void learn() {
      List<Node> members = nodes.stream().filter(n -> n.state.isMember(n.run)).toList();
      if (members.size() > nodes.size() / 2) {
        learnt = members.stream().mapToLong(n -> n.state.learn(n.run).highest()).max().orElse(0);
      }
    }

    /** One step on the way back. */
    void comeBack() {
      if (state.isMember(run)) {
        return;
      }
      boolean waited = openAtTheLoss.stream().allMatch(Round::isOver);
      if (which.rejoin == Rejoin.WAIT_ONLY) {
        learnt = 0;
      } else if (learnt < 0 && waited) {
        learn();
      }
      if (learnt >= 0 && waited) {
        state.join(run, "id", learnt, 10 * TTL);
      }
    }
  }

  /** One attempt, from its first message to the end of its lease. */
  private final class Round {
    final long startedAt = now;
    final long highestDoneBefore = highestDone;
    boolean ended;

    /** A client discards what comes later than its lease would last. */
    boolean isOver() {
      return ended || now - startedAt >= TTL;
    }
  }

  private final class Client {
    final String id;
    final QuorumLocks locks;
    long attempt;
    @Nullable Round round;
    long believesUntil;
    boolean holds;

    Client(String id) {
      this.id = id;
      this.locks =
          new QuorumLocks(
              "quorum",
              nodes.stream().map(node -> which.line.apply(node)).toList(),
              (nanos, task) -> {},
              Duration.ofSeconds(2),
              () -> 1_000 + random.nextInt(40)); // clocks are worth nothing
    }

    void act() {
      if (round == null) {
        begin();
      } else if (holds && random.nextBoolean()) {
        end();
      } else if (holds && now >= believesUntil) {
        holds = false;
        round.ended = true;
        end();
      } else if (!holds && random.nextInt(30) == 0) { // gives up, or dies
        end();
      }
    }

    private void begin() {
      attempt++;
      Round mine = new Round();
      round = mine;
      locks
          .acquire(new GrantRequest(NAME, id, attempt, TTL, 1, false))
          .whenComplete(
              (reply, failure) -> {
                if (round != mine) {
                  return;
                }
                if (reply instanceof GrantReply.Granted granted && !mine.isOver()) {
                  granted(mine, granted);
                } else {
                  end();
                }
              });
    }

    private void granted(Round mine, GrantReply.Granted granted) {
      believesUntil = mine.startedAt + Math.min(granted.remainingMicros(), TTL) - MARGIN;
      if (now >= believesUntil) {
        end();
        return;
      }
      holds = true;
      grants++;
      if (granted.token() <= mine.highestDoneBefore) {
        report("token " + granted.token() + " came after " + mine.highestDoneBefore);
      }
      if (tokens.contains(granted.token())) {
        report("token " + granted.token() + " was granted twice");
      }
      tokens.add(granted.token());
      highestDone = Math.max(highestDone, granted.token());
      if (!which.early) {
        for (Client other : clients) {
          if (other != this && other.holds && now < other.believesUntil) {
            report(id + " and " + other.id + " believe at the same time");
          }
        }
      }
    }

    private void end() {
      Round mine = round;
      if (mine != null) {
        mine.ended = true;
      }
      round = null;
      holds = false;
      if (random.nextInt(8) > 0) { // or it never says so
        locks.release(new GrantAttempt.Id(NAME, id, attempt)).exceptionally(failure -> false);
      }
    }
  }

  private final Case which;
  private final SplittableRandom random;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final List<Runnable> replies = new ArrayList<>();
  private final List<Long> tokens = new ArrayList<>();
  private long now = 1_000_000_000;
  private long highestDone;
  private int grants;
  private @Nullable String violation;

  QuorumWorld(Case which, long seed) {
    this.which = which;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < which.nodes; i++) {
      nodes.add(new Node(i));
    }
    clients.add(new Client("a"));
    clients.add(new Client("b"));
    clients.add(new Client("c"));
  }

  private void report(String what) {
    violation = violation == null ? what : violation;
  }

  int grants() {
    return grants;
  }

  /** Runs until something is wrong, or for so many steps. */
  Optional<String> run(int steps) {
    for (int i = 0; i < steps && violation == null; i++) {
      step();
    }
    return Optional.ofNullable(violation);
  }

  private void step() {
    int dice = random.nextInt(100);
    if (dice < 45 && !messages.isEmpty()) {
      // mostly in order: what overtakes is what a reconnect does
      int place = random.nextInt(3) > 0 ? 0 : random.nextInt(messages.size());
      messages.remove(place).arrival.run();
    } else if (dice < 75 && !replies.isEmpty()) {
      replies.remove(random.nextInt(replies.size())).run();
    } else if (dice < 93) {
      clients.get(random.nextInt(clients.size())).act();
    } else if (dice < 97) {
      now += random.nextInt(80_000);
    } else if (dice == 97 && which.early) {
      QuorumNode state = nodes.get(random.nextInt(nodes.size())).state;
      QuorumNode.Lock lock = state.locks.get(NAME);
      if (random.nextInt(4) == 0) {
        state.forget(NAME); // its clock stepped forward
      } else if (lock != null) {
        lock.holder = null;
      }
    } else if (dice == 98 && which.amnesia) {
      int number = random.nextInt(nodes.size());
      boolean allServe = nodes.stream().allMatch(n -> n.state.isMember(n.run));
      if (allServe && random.nextInt(4) == 0) {
        nodes.get(number).forget(number);
      }
    } else {
      nodes.forEach(Node::comeBack);
    }
  }
}
