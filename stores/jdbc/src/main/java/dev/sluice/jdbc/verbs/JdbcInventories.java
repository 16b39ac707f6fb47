package dev.sluice.jdbc.verbs;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.ClaimRows;
import dev.sluice.jdbc.rows.SqlExecutor;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.rows.StockRow;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleReply;
import dev.sluice.spi.SaleTerms;
import dev.sluice.state.SaleHeader;
import dev.sluice.state.SaleState;
import dev.sluice.state.StoredClaim;
import dev.sluice.text.Names;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The stocks of a SQL backend: a row for each, which is locked while something is decided, and a
 * row for each claimant. Safe for use by many threads.
 */
public final class JdbcInventories implements InventoryBackend {
  private static final int SWEPT_AT_ONCE = 500;

  /** A function of the clock and a stock, whose claims it reads and changes. */
  @FunctionalInterface
  private interface Decision<T extends @Nullable Object> {
    T decide(long now, SaleState state, ClaimRows claims);
  }

  private final SqlExecutor executor;
  private final SqlDialect dialect;
  private final StockRow stocks;
  private final String stockTable;
  private final String claimTable;

  public JdbcInventories(SqlExecutor executor, String prefix) {
    this.executor = executor;
    this.dialect = executor.dialect();
    this.stockTable = prefix + "stock";
    this.claimTable = prefix + "claims";
    this.stocks = new StockRow(dialect, stockTable);
  }

  private <T extends @Nullable Object> CompletableFuture<T> decide(
      String verb, String name, List<String> claimants, Decision<T> decision) {
    String what = verb + " stock " + name;
    String key = Names.encode(name);
    return executor.run(
        what, "stock " + key, session -> inSession(session, key, claimants, decision));
  }

  private <T extends @Nullable Object> T inSession(
      SqlSession session, String key, List<String> claimants, Decision<T> decision)
      throws SQLException {
    if (dialect == SqlDialect.SQLITE) {
      session.sync(SqlSession.Sync.FULL);
    }
    session.begin();
    StockRow.Found found = stocks.read(session, key, true);
    SaleTerms terms = found.header().terms();
    ClaimRows claims = new ClaimRows(session, claimTable, key, terms == null ? 0 : terms.epoch());
    if (terms != null) {
      claims.fetch(claimants);
    }
    SaleState state = new SaleState(found.header());
    T answer = decided(session.now(), state, claims, decision);
    SaleHeader header = state.header();
    if (!claims.isChanged() && header.equals(found.header())) {
      session.abandon();
      return answer;
    }
    session.writes();
    claims.write();
    stocks.write(session, key, header, found.stored());
    session.commit();
    return answer;
  }

  private static <T extends @Nullable Object> T decided(
      long now, SaleState state, ClaimRows claims, Decision<T> decision) throws SQLException {
    try {
      return decision.decide(now, state, claims);
    } catch (ClaimRows.Unreadable e) {
      throw e.failure;
    }
  }

  /** Runs the step after a read without locks that often finds nothing to do. */
  private <T> CompletableFuture<T> decideUnless(
      String verb, String name, NothingToDo idle, T nothing, Decision<T> decision) {
    String key = Names.encode(name);
    return executor.run(
        verb + " stock " + name,
        "stock " + key,
        session ->
            idle.test(stocks.read(session, key, false).header())
                ? nothing
                : inSession(session, key, List.of(), decision));
  }

  @FunctionalInterface
  private interface NothingToDo {
    boolean test(SaleHeader header);
  }

  private static List<String> claimants(List<ClaimMark> marks) {
    return marks.stream().map(ClaimMark::claimant).toList();
  }

  @Override
  public CompletionStage<SaleReply> open(String name, SaleTerms terms) {
    return decide("open", name, List.of(), (now, state, claims) -> state.open(now, terms, claims));
  }

  @Override
  public CompletionStage<SaleReply> close(String name, long epoch) {
    return decide(
        "close", name, List.of(), (now, state, claims) -> state.close(now, epoch, claims));
  }

  @Override
  public CompletionStage<SaleReply> resize(String name, long epoch, long total) {
    return decide(
        "resize", name, List.of(), (now, state, claims) -> state.resize(now, epoch, total, claims));
  }

  @Override
  public CompletionStage<SaleReply> look(String name) {
    return decide("look at", name, List.of(), (now, state, claims) -> state.look(now, claims));
  }

  @Override
  public CompletionStage<ClaimsReply> claim(String name, List<ClaimRequest> requests) {
    return decide(
        "claim of",
        name,
        requests.stream().map(ClaimRequest::claimant).toList(),
        (now, state, claims) -> state.claim(now, requests, claims));
  }

  @Override
  public CompletionStage<ClaimState> confirm(String name, ClaimMark mark) {
    return decide(
        "confirm of",
        name,
        List.of(mark.claimant()),
        (now, state, claims) -> state.confirm(now, mark, claims));
  }

  @Override
  public CompletionStage<ClaimState> cancel(String name, ClaimMark mark) {
    return decide(
        "cancel of",
        name,
        List.of(mark.claimant()),
        (now, state, claims) -> state.cancel(now, mark, claims));
  }

  @Override
  @SuppressWarnings("NullAway") // it does not see that a work may answer null
  public CompletionStage<@Nullable ClaimRow> find(String name, String claimant) {
    return executor.run(
        "find in stock " + name,
        session -> {
          List<ClaimRow> rows =
              rows(session, Names.encode(name), "c.claimant = ?", ClaimRows.bytes(claimant), 1);
          return rows.isEmpty() ? null : rows.get(0);
        });
  }

  /** Claims of the present sale, in their present state. */
  private List<ClaimRow> rows(
      SqlSession session, String key, String condition, byte[] bound, int limit)
      throws SQLException {
    String sql =
        "SELECT c."
            + ClaimRows.COLUMNS.replace(", ", ", c.")
            + ", "
            + dialect.now
            + " FROM "
            + claimTable
            + " c JOIN "
            + stockTable
            + " s ON s.name = c.name AND s.epoch = c.epoch WHERE c.name = ? AND "
            + condition
            + " ORDER BY c.claimant LIMIT ?";
    List<ClaimRow> rows = new ArrayList<>();
    try (PreparedStatement statement = session.prepare(sql)) {
      dialect.setKey(statement, 1, key);
      statement.setBytes(2, bound);
      statement.setInt(3, limit);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          StoredClaim claim = ClaimRows.read(row);
          rows.add(claim.at(row.getLong(12)));
        }
      }
    }
    return rows;
  }

  @Override
  public CompletionStage<Integer> expire(String name, int limit) {
    return decideUnless(
        "expire in",
        name,
        header -> header.held() == 0,
        0,
        (now, state, claims) -> state.expire(now, limit, claims));
  }

  @Override
  public CompletionStage<List<ClaimRow>> take(
      String name, String consumer, int limit, long idleMicros) {
    return decideUnless(
        "take from",
        name,
        header -> header.waiting() == 0,
        List.of(),
        (now, state, claims) -> state.take(now, consumer, limit, idleMicros, claims));
  }

  @Override
  public CompletionStage<Integer> settle(
      String name, String consumer, List<ClaimMark> marks, Verdict verdict, String reason) {
    return decide(
        "settle in",
        name,
        claimants(marks),
        (now, state, claims) -> state.settle(now, consumer, marks, verdict, reason, claims));
  }

  @Override
  public CompletionStage<List<DeadLetterRow>> deadLetters(String name, int limit) {
    return decideUnless(
        "look at",
        name,
        header -> header.deadLetters() == 0,
        List.of(),
        (now, state, claims) -> state.deadLetters(limit, claims));
  }

  @Override
  public CompletionStage<Integer> requeue(String name, List<ClaimMark> marks) {
    return decide(
        "queue again in",
        name,
        claimants(marks),
        (now, state, claims) -> state.requeue(now, marks, claims));
  }

  @Override
  public CompletionStage<ClaimPage> page(String name, String after, int limit) {
    return executor.run(
        "page through stock " + name,
        session -> {
          byte[] from = Base64.getUrlDecoder().decode(after);
          List<ClaimRow> rows = rows(session, Names.encode(name), "c.claimant > ?", from, limit);
          return new ClaimPage(
              rows,
              rows.size() < limit
                  ? ""
                  : Base64.getUrlEncoder()
                      .encodeToString(ClaimRows.bytes(rows.get(rows.size() - 1).claimant())));
        });
  }

  @Override
  public CompletionStage<RestoreReply> restore(String name, long epoch, List<LedgerEntry> orders) {
    return decide(
        "restore",
        name,
        orders.stream().map(LedgerEntry::claimant).toList(),
        (now, state, claims) -> state.restore(now, epoch, orders, claims));
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    return executor.run(
        "names of stocks",
        session -> {
          List<String> names = new ArrayList<>();
          String sql = "SELECT name FROM " + stockTable + " LIMIT ?";
          try (PreparedStatement statement = session.prepare(sql)) {
            statement.setInt(1, limit);
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                names.add(Names.decode(dialect.key(row, 1)));
              }
            }
          }
          return names;
        });
  }

  /** Deletes some claims of an earlier sale; true if there are likely to be more. */
  public boolean sweep(SqlSession session) throws SQLException {
    try {
      String key = sweptNext(session);
      if (key == null) {
        return false;
      }
      if (dialect == SqlDialect.SQLITE) {
        session.sync(SqlSession.Sync.FULL);
      }
      session.begin();
      // a claim that has read such a row is about to write over it
      SaleTerms terms = stocks.read(session, key, true).header().terms();
      int count = terms == null ? 0 : sweep(session, key, terms.epoch());
      session.commit();
      return count > 0;
    } catch (SQLException e) {
      if (!dialect.isMissingTable(e) && !dialect.isForbidden(e)) {
        throw e;
      }
      return false; // who does not use limited stock can do without its tables
    }
  }

  /** A stock that has claims of an earlier sale. */
  private @Nullable String sweptNext(SqlSession session) throws SQLException {
    String sql =
        "SELECT s.name FROM "
            + stockTable
            + " s JOIN "
            + claimTable
            + " c ON c.name = s.name AND c.epoch < s.epoch LIMIT 1";
    try (PreparedStatement finding = session.prepare(sql);
        ResultSet row = finding.executeQuery()) {
      return row.next() ? dialect.key(row, 1) : null;
    }
  }

  private int sweep(SqlSession session, String key, long epoch) throws SQLException {
    String where = claimTable + " WHERE name = ? AND epoch < ?";
    String old = "SELECT claimant FROM " + where + " LIMIT " + SWEPT_AT_ONCE;
    String delete = "DELETE FROM " + where + " AND claimant = ?";
    int count = 0;
    try (PreparedStatement finding = session.prepare(old);
        PreparedStatement deleting = session.prepare(delete)) {
      dialect.setKey(finding, 1, key);
      finding.setLong(2, epoch);
      try (ResultSet row = finding.executeQuery()) {
        while (row.next()) {
          dialect.setKey(deleting, 1, key);
          deleting.setLong(2, epoch);
          deleting.setBytes(3, row.getBytes(1));
          deleting.addBatch();
          count++;
        }
      }
      if (count > 0) {
        deleting.executeBatch();
      }
    }
    return count;
  }
}
