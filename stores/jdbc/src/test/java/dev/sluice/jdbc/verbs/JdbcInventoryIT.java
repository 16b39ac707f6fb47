package dev.sluice.jdbc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.jdbc.Database;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcBackendBuilder;
import dev.sluice.jdbc.JdbcStoreUnderTest;
import dev.sluice.jdbc.OpenedJdbc;
import dev.sluice.jdbc.dialect.Schema;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.SaleTerms;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Limited stock in tables: what no contract can ask for. */
class JdbcInventoryIT {
  private static final long FAR = 253_402_300_799_000_000L;

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static SaleTerms terms(long epoch, long total) {
    return new SaleTerms(epoch, total, 0, false, 0, FAR);
  }

  private static List<ClaimRequest> requests(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new ClaimRequest("claimant-" + i, 1, "r"))
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void tablesOfAnEarlierVersionDoForAllElse(Dialect dialect) {
    Database database = new JdbcStoreUnderTest(dialect).database();
    String[] all = new Schema("older_").ddl(SqlDialect.valueOf(dialect.name())).split(";");
    database.execute(all[0], all[1]);
    JdbcBackendBuilder settings =
        JdbcBackend.builder().url(database.url()).tablePrefix("older_").createTables(false);
    try (JdbcBackend backend = settings.build()) {
      GrantRequest request = new GrantRequest("lock", "client", 1, 10_000_000, 1, false);
      assertThat(get(backend.locks().acquire(request))).isInstanceOf(GrantReply.Granted.class);
      assertThatThrownBy(() -> get(backend.inventories().open("stock", terms(1, 1))))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(BackendException.class)
          .hasMessageContaining("createTables(true)")
          .hasMessageContaining("CREATE TABLE IF NOT EXISTS older_stock")
          .hasMessageContaining("CREATE TABLE IF NOT EXISTS older_claims");
      assertThat(OpenedJdbc.sweep(backend).join()).isFalse();
    }
    try (JdbcBackend backend = settings.createTables(true).build()) {
      assertThat(get(backend.inventories().open("stock", terms(1, 1))).done()).isTrue();
    } finally {
      database.execute(
          "DROP TABLE older_locks",
          "DROP TABLE older_states",
          "DROP TABLE older_stock",
          "DROP TABLE older_claims");
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void wholeBatchIsOneStepAndOutlivesTheProcess(Dialect dialect) {
    JdbcStoreUnderTest database = new JdbcStoreUnderTest(dialect);
    int many = InventoryBackend.MAX_BATCH;
    ClaimsReply first;
    try (JdbcBackend backend = database.connectInRealTime()) {
      get(backend.inventories().open("stock", terms(1, many - 1)));
      first = get(backend.inventories().claim("stock", requests(many)));
      assertThat(first.results().stream().map(ClaimResult::outcome))
          .filteredOn(outcome -> outcome == Outcome.ACCEPTED)
          .hasSize(many - 1);
      assertThat(first.left()).isZero();
    }
    try (JdbcBackend backend = database.connectInRealTime()) {
      ClaimsReply again = get(backend.inventories().claim("stock", requests(many - 1)));
      assertThat(again.results()).allMatch(r -> r.outcome() == Outcome.ALREADY_CLAIMED);
      assertThat(again.results().stream().map(ClaimResult::claimId).toList())
          .isEqualTo(first.results().stream().limit(many - 1).map(ClaimResult::claimId).toList());
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void claimsOfAnEarlierSaleCountNoMoreAndAreSwept(Dialect dialect) throws SQLException {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    try (JdbcBackend backend = store.connectInRealTime()) {
      InventoryBackend stocks = backend.inventories();
      get(stocks.open("stock", terms(1, 700)));
      get(stocks.claim("stock", requests(700)));
      get(stocks.close("stock", 1));
      assertThat(get(stocks.open("stock", terms(2, 10))).info().left()).isEqualTo(10);
      assertThat(get(stocks.find("stock", "claimant-1"))).isNull();
      assertThat(get(stocks.page("stock", "", 10)).rows()).isEmpty();
      ClaimResult again = get(stocks.claim("stock", requests(1))).results().get(0);
      assertThat(again.outcome()).isEqualTo(Outcome.ACCEPTED);
      assertThat(rows(store)).isEqualTo(700);
      assertThat(OpenedJdbc.sweep(backend).join()).as("there are more").isTrue();
      OpenedJdbc.sweep(backend).join();
      assertThat(rows(store)).isEqualTo(1);
      assertThat(get(stocks.look("stock")).info().confirmed()).isEqualTo(1);
    }
  }

  /** A claim that has read a row of the sale before is about to write over it. */
  @ParameterizedTest
  @EnumSource(Dialect.class)
  void claimsAreNotLostWhileThoseOfTheSaleBeforeAreSwept(Dialect dialect) throws Exception {
    JdbcStoreUnderTest store = new JdbcStoreUnderTest(dialect);
    int many = 1000;
    try (JdbcBackend seller = store.connectInRealTime();
        JdbcBackend sweeper = store.connectInRealTime()) {
      InventoryBackend stocks = seller.inventories();
      get(stocks.open("stock", terms(1, many)));
      get(stocks.claim("stock", requests(many)));
      get(stocks.close("stock", 1));
      get(stocks.open("stock", terms(2, many)));
      List<CompletionStage<ClaimsReply>> claims = new ArrayList<>();
      List<CompletableFuture<Boolean>> sweeps = new ArrayList<>();
      for (int from = 0; from < many; from += 100) {
        claims.add(stocks.claim("stock", requests(many).subList(from, from + 100)));
        sweeps.add(OpenedJdbc.sweep(sweeper));
      }
      for (CompletionStage<ClaimsReply> each : claims) {
        assertThat(get(each).results()).allMatch(result -> result.outcome() == Outcome.ACCEPTED);
      }
      sweeps.forEach(CompletableFuture::join);
      assertThat(rows(store)).isEqualTo(many);
      assertThat(get(stocks.look("stock")).info().confirmed()).isEqualTo(many);
    }
  }

  private static long rows(JdbcStoreUnderTest store) throws SQLException {
    try (Connection connection = store.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM sluice_claims")) {
      row.next();
      return row.getLong(1);
    }
  }
}
