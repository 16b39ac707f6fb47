package dev.sluice.jdbc.rows;

import dev.sluice.ForeignDataException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.text.Names;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * States of any kind, each in a row of the table {@code sluice_states}, as the bytes of its codec.
 * Every decision is one atomic step by the database's clock. Safe for use by many threads.
 */
public final class Rows {

  /** The longest key of a row; a longer one is stored as its hash. */
  private static final int MAX_KEY_BYTES = 1536;

  /**
   * A state as bytes.
   *
   * @param <S> the state of a name
   */
  public interface Codec<S> {

    /** {@return the state of a name without a row} */
    S empty(String name);

    /** {@return the bytes of a state; equal bytes are not written again} */
    byte[] write(S state);

    /**
     * Reads the format of {@link #write}.
     *
     * @throws ForeignDataException if it did not
     */
    S read(String name, byte[] bytes);

    /**
     * {@return the time from which the state can be deleted unless it is used again, by the
     * database's clock}
     */
    long forgetAt(S state);

    /**
     * {@return the time until which changes of the state concern a client, by the database's clock}
     */
    default long concernedUntil(S state, String client) {
      return 0;
    }

    /** {@return whether the client can only wait for a message} */
    default boolean isUrgent(S state, String client) {
      return true;
    }

    /** Sends a client the messages that follow from the state; a repeated message does no harm. */
    default void remind(String name, S state, String client, RowTransactions.Post post) {}
  }

  /** Observes the rows that steps of this process read or write. */
  public interface Observer {

    /**
     * Called when a step has read or written a row.
     *
     * @param kind of the state
     * @param table where it is
     * @param codec of the state
     * @param row as it is now
     * @param now the database's clock
     */
    <S> void note(String kind, Table<S, ?> table, Codec<S> codec, Table.Row<S, ?> row, long now);
  }

  private record Image(byte[] bytes, long forgetAt) {}

  private final class States<S> extends Table<S, Image> {
    private final String kind;
    private final Codec<S> codec;

    States(String kind, Codec<S> codec) {
      super(
          transactions.executor().dialect(),
          table,
          "t.kind = ? AND t.name = ?",
          List.of("kind", "name"),
          List.of("state", "forget_at"));
      this.kind = kind;
      this.codec = codec;
    }

    @Override
    S empty(String name) {
      return codec.empty(name);
    }

    @Override
    Image image(S state) {
      return new Image(codec.write(state), codec.forgetAt(state));
    }

    @Override
    boolean differs(Image before, Image after) {
      return !Arrays.equals(before.bytes, after.bytes);
    }

    @Override
    S read(String name, ResultSet row, int at) throws SQLException {
      try {
        return codec.read(name, row.getBytes(at));
      } catch (ForeignDataException e) {
        throw new ForeignDataException(
            kind + " " + Names.quoted(name) + " in table '" + table + "' " + e.getMessage(), e);
      }
    }

    @Override
    void set(PreparedStatement statement, int at, Image image) throws SQLException {
      statement.setBytes(at, image.bytes);
      statement.setLong(at + 1, image.forgetAt);
    }

    @Override
    int setKey(PreparedStatement statement, int at, String name) throws SQLException {
      statement.setString(at, kind);
      dialect().setKey(statement, at + 1, key(name));
      return at + 2;
    }
  }

  private final RowTransactions transactions;
  private final EventListeners listeners;
  private final Observer observer;
  private final String table;

  public Rows(
      RowTransactions transactions, EventListeners listeners, Observer observer, String table) {
    this.transactions = transactions;
    this.listeners = listeners;
    this.observer = observer;
    this.table = table;
  }

  /**
   * One atomic step on one name. Messages leave after it. What the decision changed is stored also
   * where it fails with a {@link dev.sluice.SluiceException}.
   *
   * @param kind of the state, at most 16 letters
   * @param name whose
   * @param codec reads and writes it
   * @param decision what to do; may be run more than once, each time on a fresh state
   * @return its answer
   */
  public <S, T> CompletionStage<T> decide(
      String kind, String name, Codec<S> codec, RowTransactions.Decision<S, T> decision) {
    return decideAll(
        kind,
        List.of(name),
        codec,
        (now, states, post) -> decision.decide(now, states.get(0), post));
  }

  /** Runs one atomic step on several names of one kind. The states come in their order. */
  public <S, T> CompletionStage<T> decideAll(
      String kind,
      List<String> names,
      Codec<S> codec,
      RowTransactions.Decision<List<S>, T> decision) {
    States<S> table = new States<>(kind, codec);
    return transactions
        .decide(what(kind, names), kind, table, names, decision, SqlSession.Sync.FULL)
        .thenApply(
            done -> {
              for (Table.Row<S, Image> row : done.rows()) {
                observer.note(kind, table, codec, row, done.now());
              }
              return done.reply();
            });
  }

  /** Reads the state of a name without writing. */
  public <S, T> CompletionStage<T> peek(
      String kind, String name, Codec<S> codec, RowTransactions.Decision<S, T> decision) {
    return transactions.peek(what(kind, List.of(name)), new States<>(kind, codec), name, decision);
  }

  private static String what(String kind, List<String> names) {
    return kind + " " + names.stream().map(Names::quoted).collect(Collectors.joining(", "));
  }

  /** Lists names whose state may still be needed. */
  CompletionStage<List<String>> names(String kind, int limit) {
    SqlDialect dialect = transactions.executor().dialect();
    return inUse(
        "names of " + kind,
        "name",
        kind,
        limit,
        ArrayList::new,
        (names, row) -> names.add(Names.decode(dialect.key(row, 1))));
  }

  /** Lists the stored names of states that may still be needed; a long name is a hash. */
  public <S> CompletionStage<Map<String, S>> all(String kind, Codec<S> codec, int limit) {
    SqlDialect dialect = transactions.executor().dialect();
    return inUse(
        "all of " + kind,
        "name, state",
        kind,
        limit,
        LinkedHashMap::new,
        (states, row) -> {
          String name = dialect.key(row, 1);
          states.put(name, codec.read(name, row.getBytes(2)));
        });
  }

  /** Adds a row to the result. */
  @FunctionalInterface
  private interface Taker<T> {
    void take(T found, ResultSet row) throws SQLException;
  }

  /** Reads the rows of a kind that may still be needed; a retry starts over. */
  private <T> CompletionStage<T> inUse(
      String what, String columns, String kind, int limit, Supplier<T> none, Taker<T> taker) {
    SqlDialect dialect = transactions.executor().dialect();
    String sql =
        "SELECT "
            + columns
            + " FROM "
            + table
            + " WHERE kind = ? AND forget_at > "
            + dialect.now
            + " ORDER BY name LIMIT ?";
    return transactions
        .executor()
        .run(
            what,
            session -> {
              T found = none.get();
              try (PreparedStatement statement = session.prepare(sql)) {
                statement.setString(1, kind);
                statement.setInt(2, limit);
                try (ResultSet row = statement.executeQuery()) {
                  while (row.next()) {
                    taker.take(found, row);
                  }
                }
              }
              return found;
            });
  }

  /** Deletes the rows of names. */
  public CompletionStage<Void> forget(String kind, List<String> names) {
    if (names.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    String sql = "DELETE FROM " + table + " WHERE kind = ? AND name = ?";
    return transactions
        .executor()
        .does(
            "forget " + what(kind, names),
            session -> {
              session.writes();
              try (PreparedStatement statement = session.prepare(sql)) {
                for (String name : names) {
                  statement.setString(1, kind);
                  session.dialect.setKey(statement, 2, key(name));
                  statement.executeUpdate();
                }
              }
            })
        .thenAccept(done -> {});
  }

  /**
   * Delivers the messages of a kind to a client.
   *
   * @param listener called with each text; must not block
   * @return completes once messages are delivered
   */
  public CompletionStage<Void> listen(String kind, String client, Consumer<String> listener) {
    listeners.listen(kind, client, listener);
    return CompletableFuture.completedFuture(null);
  }

  /** Ends {@link #listen}. */
  public void unlisten(String kind, String client) {
    listeners.unlisten(kind, client);
  }

  /** Deletes some expired rows; true if more are likely. */
  public boolean sweep(SqlSession session) throws SQLException {
    return ExpiredRows.sweep(session, table);
  }

  /** The key of a name: readable, unless it is too long for an index. */
  public static String key(String name) {
    String encoded = Names.encode(name);
    byte[] bytes = encoded.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_KEY_BYTES) {
      return encoded;
    }
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "{" + HexFormat.of().formatHex(hash) + "}"; // no encoded name has a brace
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
