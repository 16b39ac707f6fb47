package dev.sluice.verification.crash;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.flashsale.desk.Terms;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.DrainBatch;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Sale;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Sellers with a fault that the checker has to find. */
final class PlantedSellers {
  private PlantedSellers() {}

  private static ScheduledExecutorService later() {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, "planted");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Says that a batch is durable, and writes it so much later that a kill comes in between. */
  static final class AckBeforeCommit extends SellerMain {
    public static void main(String[] args) throws IOException {
      new AckBeforeCommit().run(args);
    }

    @Override
    protected Desk desk(Sluice sluice, DataSource database, Terms terms, String url) {
      ScheduledExecutorService later = later();
      OrderBook book =
          new OrderBook(database, terms.sale()) {
            @Override
            public List<Claim> write(DrainBatch batch) {
              List<Claim> claims = List.copyOf(batch.claims());
              later.schedule(() -> writeLate(claims), 1000, TimeUnit.MILLISECONDS);
              return claims;
            }

            private void writeLate(List<Claim> claims) {
              super.write(new Detached(claims));
            }
          };
      return new Desk(sluice, book, terms);
    }
  }

  private record Detached(List<Claim> claims) implements DrainBatch {
    @Override
    public void reject(Claim claim, String reason) {}

    @Override
    public void deadLetter(Claim claim, String reason) {}
  }

  /** Gives the units of an order back twice. */
  static final class ReturnTwice extends SellerMain {
    public static void main(String[] args) throws IOException {
      new ReturnTwice().run(args);
    }

    @Override
    protected Desk desk(Sluice sluice, DataSource database, Terms terms, String url) {
      OrderBook book =
          new OrderBook(database, terms.sale()) {
            @Override
            protected void giveBack(int units) {
              super.giveBack(units);
              super.giveBack(units);
            }
          };
      return new Desk(sluice, book, terms);
    }
  }

  /** Loads the whole stock into the store whenever an instance starts. */
  static final class PreloadOverwrites extends SellerMain {
    public static void main(String[] args) throws IOException {
      new PreloadOverwrites().run(args);
    }

    @Override
    protected Desk desk(Sluice sluice, DataSource database, Terms terms, String url) {
      Inventory inventory = sluice.inventory("flash-sale/" + terms.sale());
      try {
        InventoryInfo figures = inventory.info();
        if (figures.epoch() != 0) {
          inventory.resize(Sale.epoch(figures.epoch()).total(2 * figures.total() - figures.left()));
        }
      } catch (SluiceException e) {
        throw new IllegalStateException(e);
      }
      return super.desk(sluice, database, terms, url);
    }
  }

  /** Keeps the queue short, whether its claims were drained or not. */
  static final class TrimBeforeAck extends SellerMain {
    public static void main(String[] args) throws IOException {
      new TrimBeforeAck().run(args);
    }

    @Override
    protected Desk desk(Sluice sluice, DataSource database, Terms terms, String url) {
      RedisCommands<String, String> redis = RedisClient.create(url).connect().sync();
      later()
          .scheduleAtFixedRate(
              () -> {
                try {
                  redis.keys("sl:{*}:drain").forEach(key -> redis.xtrim(key, 0));
                } catch (RedisException e) {
                  return; // at the next look
                }
              },
              0,
              1,
              TimeUnit.MILLISECONDS);
      return super.desk(sluice, database, terms, url);
    }
  }
}
