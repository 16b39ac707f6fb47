package dev.sluice.redis.quorum;

import dev.sluice.redis.command.Script;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.QuorumKeys;
import java.util.function.UnaryOperator;

/** The scripts and the keys of a quorum's nodes, the same for every node. */
public final class QuorumScripts {
  final Script acquire;
  final Script raise;
  final Script renew;
  final Script release;
  final Script inspect;
  final Script requestJoin;
  final Script learn;
  final Script join;
  final KeySpace space;
  final QuorumKeys keys;

  /**
   * Loads them.
   *
   * @param space where the keys begin
   * @param change what to change in the texts; tests plant faults and clocks here
   */
  public QuorumScripts(KeySpace space, UnaryOperator<String> change) {
    this.space = space;
    keys = new QuorumKeys(space);
    acquire = Script.load("quorum/quorum_acquire", change);
    raise = Script.load("quorum/quorum_raise", change);
    renew = Script.load("quorum/quorum_renew", change);
    release = Script.load("quorum/quorum_release", change);
    inspect = Script.load("quorum/quorum_inspect", change);
    requestJoin = Script.load("quorum/quorum_knock", change);
    learn = Script.load("quorum/quorum_learn", change);
    join = Script.load("quorum/quorum_join", change);
  }
}
