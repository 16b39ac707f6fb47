package dev.sluice.bench.run;

import dev.sluice.bench.systems.CacheSystem;
import dev.sluice.bench.systems.Shelf;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Does with caches what it is told. */
final class CacheHands implements Hands {
  private final CacheSystem system;
  private final Map<String, Shelf> shelves = new HashMap<>();
  private final ExecutorService crowd =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "bench-crowd");
            thread.setDaemon(true);
            return thread;
          });
  private @Nullable Readers readers;

  CacheHands(CacheSystem system) {
    this.system = system;
  }

  @Override
  public Reply follow(Order order) throws Exception {
    if (order instanceof Order.OpenShelf open) {
      open(open);
    } else if (order instanceof Order.Stock stock) {
      stock(stock);
    } else if (order instanceof Order.Read read) {
      readers = new Readers(shelf(read.cache()), CallerHands.keys(0, read.keys()), read);
    } else if (order instanceof Order.Go) {
      Hands.present(readers, order).start();
    } else if (order instanceof Order.Measure) {
      Hands.present(readers, order).measure();
    } else if (order instanceof Order.Pause) {
      Hands.present(readers, order).pause();
    } else if (order instanceof Order.Stop) {
      return Hands.present(readers, order).stop();
    } else if (order instanceof Order.Drop drop) {
      shelf(drop.cache()).drop(drop.key());
    } else if (order instanceof Order.Rush rush) {
      return rush(rush);
    } else if (order instanceof Order.Seek seek) {
      return seek(seek);
    } else if (order instanceof Order.Expire expire) {
      return new Reply.Expired(Expiries.run(expire));
    }
    return new Reply.Done();
  }

  private void open(Order.OpenShelf order) throws Exception {
    if (!shelves.containsKey(order.cache())) {
      SharedPage page = page(order.page());
      Database database = new Database(order.database(), order.process(), page);
      shelves.put(
          order.cache(), system.shelf(order.cache(), order.tier(), order.habit(), database));
    }
  }

  private static SharedPage page(String file) throws IOException {
    return SharedPage.map(Path.of(file));
  }

  private Shelf shelf(String cache) {
    Shelf shelf = shelves.get(cache);
    if (shelf == null) {
      throw new IllegalStateException("no cache was made that is called " + cache);
    }
    return shelf;
  }

  private void stock(Order.Stock order) throws Exception {
    shelf(order.cache()).stock(CallerHands.keys(0, order.keys()), new byte[order.bytes()]);
  }

  private Reply rush(Order.Rush order) throws InterruptedException {
    Shelf shelf = shelf(order.cache());
    long[] asked = new long[order.callers()];
    long[] answered = new long[order.callers()];
    List<Callable<Void>> calls = new ArrayList<>();
    for (int i = 0; i < order.callers(); i++) {
      int caller = i;
      calls.add(
          () -> {
            asked[caller] = System.nanoTime();
            try {
              if (shelf.get(order.key()) == null) {
                throw new IllegalStateException("a value that exists was said to be absent");
              }
            } finally {
              answered[caller] = System.nanoTime();
            }
            return null;
          });
    }
    int failed = 0;
    String failure = "";
    for (Future<?> call : crowd.invokeAll(calls)) {
      try {
        call.get();
      } catch (ExecutionException e) {
        failed++;
        failure = String.valueOf(e.getCause());
      }
    }
    return new Reply.Rushed(asked, answered, failed, failure);
  }

  private Reply seek(Order.Seek order) throws InterruptedException, ExecutionException {
    Shelf shelf = shelf(order.cache());
    List<Callable<Long>> searches = new ArrayList<>();
    for (int i = 0; i < order.threads(); i++) {
      SplittableRandom random = new SplittableRandom(order.seed() * order.threads() + i);
      int share = order.count() / order.threads() + (i < order.count() % order.threads() ? 1 : 0);
      searches.add(
          () -> {
            long found = 0;
            for (int n = 0; n < share; n++) {
              found += shelf.get("absent/" + Long.toHexString(random.nextLong())) == null ? 0 : 1;
            }
            return found;
          });
    }
    long cpu = Crew.cpuNanos();
    long began = System.nanoTime();
    long found = 0;
    for (Future<Long> search : crowd.invokeAll(searches)) {
      found += search.get();
    }
    return new Reply.Sought(System.nanoTime() - began, Crew.cpuNanos() - cpu, found);
  }
}
