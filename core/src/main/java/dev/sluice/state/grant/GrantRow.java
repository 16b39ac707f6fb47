package dev.sluice.state.grant;

import dev.sluice.state.StoredForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link GrantState} in a table: some values in separate columns for people and queries, the rest
 * as bytes. All times are the store's clock, microseconds since the epoch.
 *
 * @param fence highest token ever given or reserved
 * @param lastUse when a client last asked for something
 * @param capacity units of the name, 0 until a client sets it
 * @param grant the eldest grant, or null; may have expired
 * @param over the attempt that ended last, or null
 * @param waiting tickets in the queue
 * @param forgetAt from when the row is not needed, unless the name is used before; computed from
 *     the others, and not read again
 * @param rest other grants, earlier ends of other clients' attempts, and the queue; null when there
 *     are none. Not copied, so not to be changed
 */
public record GrantRow(
    long fence,
    long lastUse,
    int capacity,
    @Nullable Held grant,
    @Nullable Tombstone over,
    int waiting,
    long forgetAt,
    byte @Nullable [] rest) {

  /** The encoding of {@code rest}. */
  private static final int REST_FORM = 1;

  /**
   * A state as a row.
   *
   * @param state is not changed
   * @return all that {@link #state} needs
   */
  public static GrantRow of(GrantState state) {
    List<Held> grants = state.grants.stream().map(Held::of).toList();
    boolean fitsIntoColumns = grants.size() < 2 && state.over.size() < 2 && state.queue.size() == 0;
    return new GrantRow(
        state.fence,
        state.lastUse,
        state.capacity,
        grants.isEmpty() ? null : grants.get(0),
        state.over.newest(),
        state.queue.size(),
        state.forgettableAt(),
        fitsIntoColumns ? null : StoredForm.write(out -> writeRest(out, grants, state)));
  }

  private static void writeRest(DataOutput out, List<Held> grants, GrantState state)
      throws IOException {
    out.writeByte(REST_FORM);
    out.writeInt(Math.max(0, grants.size() - 1));
    for (int i = 1; i < grants.size(); i++) {
      grants.get(i).write(out);
    }
    state.over.writeOlder(out);
    state.queue.write(out);
  }

  /**
   * The state of a row: later decisions equal those of the state that the row was made from.
   *
   * @param name the lock, semaphore or read-write lock
   * @param kind which of them
   * @return a new state
   * @throws dev.sluice.ForeignDataException if {@code rest} was not written by Sluice, or by a
   *     version of another form
   */
  public GrantState state(String name, GrantKind kind) {
    GrantState state = new GrantState(name, kind);
    restore(state);
    return state;
  }

  /** Restores a state into a new one. */
  void restore(GrantState state) {
    state.fence = fence;
    state.lastUse = lastUse;
    state.capacity = capacity;
    if (grant != null) {
      state.grants.add(grant.grant());
    }
    if (rest != null) {
      StoredForm.read(rest, in -> readRest(in, state));
    }
    if (over != null) {
      state.over.put(over);
    }
  }

  private static GrantState readRest(DataInput in, GrantState state) throws IOException {
    StoredForm.expect(REST_FORM, in);
    for (int left = StoredForm.count(in); left > 0; left--) {
      state.grants.add(Held.read(in).grant());
    }
    state.over.read(in);
    state.queue.read(in, state.name, state.capacity);
    return state;
  }

  /**
   * A grant, taken or still reserved for its ticket.
   *
   * @param client whose it is
   * @param attempt which attempt of the client
   * @param units what it takes of the capacity
   * @param token first of its fencing tokens
   * @param block how many tokens it has
   * @param ttl how long it was given for, microseconds
   * @param since when it was granted
   * @param expiresAt when it ends
   * @param pending handed over, not yet taken up
   * @param wanted whether the store has reported a waiter to the client
   */
  public record Held(
      String client,
      long attempt,
      int units,
      long token,
      int block,
      long ttl,
      long since,
      long expiresAt,
      boolean pending,
      boolean wanted) {

    static Held of(Grant grant) {
      return new Held(
          grant.client,
          grant.attempt,
          grant.units,
          grant.token,
          grant.block,
          grant.ttl,
          grant.since,
          grant.expiresAt,
          grant.pending,
          grant.wanted);
    }

    Grant grant() {
      Grant grant = new Grant(client, attempt, units, token, block, ttl, since);
      grant.expiresAt = expiresAt;
      grant.pending = pending;
      grant.wanted = wanted;
      return grant;
    }

    void write(DataOutput out) throws IOException {
      out.writeUTF(client);
      out.writeLong(attempt);
      out.writeInt(units);
      out.writeLong(token);
      out.writeShort(block);
      out.writeLong(ttl);
      out.writeLong(since);
      out.writeLong(expiresAt);
      out.writeBoolean(pending);
      out.writeBoolean(wanted);
    }

    static Held read(DataInput in) throws IOException {
      return new Held(
          in.readUTF(),
          in.readLong(),
          in.readInt(),
          in.readLong(),
          in.readUnsignedShort(),
          in.readLong(),
          in.readLong(),
          in.readLong(),
          in.readBoolean(),
          in.readBoolean());
    }
  }
}
