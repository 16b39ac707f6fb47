package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.inventory.Reconciliation;
import dev.sluice.inventory.Sale;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that is killed and comes back without its last writes. */
@EachRedis
class InventoryFaultIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Sale SALE = Sale.epoch(1).total(10).hold(Duration.ofDays(1)).drained();

  private final RedisServer server;
  private final Map<Long, Claim> orders = new ConcurrentHashMap<>();

  InventoryFaultIT(RedisBinary binary) {
    this.server = RedisServer.start(binary, "--appendonly", "yes", "--appendfsync", "everysec");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Sluice connect() {
    return Sluice.builder().uri(server.uri()).requestTimeout(AGES).build();
  }

  private static void sell(Inventory stock, String... claimants) {
    for (String claimant : claimants) {
      assertThat(stock.claim(claimant, 1, "r").outcome()).as(claimant).isEqualTo(Outcome.ACCEPTED);
    }
  }

  private void drain(Inventory stock) {
    try (ClaimConsumer drain =
        stock.drain(
            DrainOptions.defaults(),
            batch -> batch.claims().forEach(claim -> orders.put(claim.id(), claim)))) {
      await().atMost(AGES).until(() -> stock.info().waiting() == 0);
      assertThat(drain.stats().refused()).isZero();
    }
  }

  private List<LedgerEntry> ledger() {
    return orders.values().stream().map(claim -> LedgerEntry.of(claim)).toList();
  }

  /** The file that the server appends to. */
  private Path journal() throws IOException {
    try (Stream<Path> files = Files.walk(server.folder())) {
      return files
          .filter(file -> file.toString().matches(".*(appendonly|\\.incr)\\.aof"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void lastWritesThatAreLostAreRepairedFromTheLedger() throws IOException {
    long kept;
    try (Sluice sluice = connect()) {
      Inventory stock = sluice.inventory("sku");
      stock.open(SALE);
      sell(stock, "ann", "bob", "cid");
      drain(stock);
      await().atMost(AGES).until(() -> Files.size(journal()) > 0);
      kept = Files.size(journal());
      sell(stock, "dan", "eve", "fay", "gus");
      drain(stock);
      sell(stock, "hal");
    }
    server.kill();
    try (FileChannel file = FileChannel.open(journal(), StandardOpenOption.WRITE)) {
      assertThat(file.size()).isGreaterThan(kept);
      file.truncate(kept);
    }
    server.restart();
    long highest = orders.keySet().stream().mapToLong(id -> id).max().orElseThrow();
    try (Sluice sluice = connect()) {
      Inventory stock = sluice.inventory("sku");
      InventoryInfo forgetful = stock.open(SALE);
      assertThat(forgetful.left()).as("would be sold again").isGreaterThan(3);
      Reconciliation found = stock.reconcile(ledger());
      assertThat(found.conflicts()).isEmpty();
      assertThat(found.restored()).isGreaterThanOrEqualTo(4);
      drain(stock); // what the server had not noted as drained is given again, under the same ids
      assertThat(orders).hasSize(7);
      assertThat(stock.info().left()).isEqualTo(3);
      assertThat(stock.reconcile(ledger()).isClean()).isTrue();
      assertThat(stock.claim("eve", 1, "r").outcome()).isEqualTo(Outcome.ALREADY_CLAIMED);
      assertThat(stock.claim("hal", 1, "r").claimId()).isGreaterThan(highest);
      sell(stock, "ida", "jon");
      assertThat(stock.claim("kim", 1, "r").outcome()).isEqualTo(Outcome.SOLD_OUT);
    }
  }

  @Test
  void claimsGoOnWhenTheServerIsBack() {
    try (Sluice sluice = connect()) {
      Inventory stock = sluice.inventory("sku");
      stock.open(SALE);
      sell(stock, "ann");
      server.kill();
      server.restart();
      await().atMost(AGES).ignoreExceptions().until(() -> stock.info().epoch() == 1);
      sell(stock, "bob");
      drain(stock);
      assertThat(orders.values()).extracting(Claim::claimant).contains("bob");
      assertThat(stock.reconcile(ledger()).conflicts()).isEmpty();
      assertThat(stock.info().held()).isEqualTo(orders.size());
    }
  }
}
