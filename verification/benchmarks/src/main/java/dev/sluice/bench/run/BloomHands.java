package dev.sluice.bench.run;

import dev.sluice.bench.systems.BloomSystem;
import dev.sluice.bench.systems.Elements;
import dev.sluice.bench.systems.Gate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Does with Bloom filters what it is told. */
final class BloomHands extends CallerHands {
  private static final int BULK = 100;
  private static final int PORTION = 1_000;

  private final BloomSystem system;
  private final Map<String, Elements> filters = new HashMap<>();

  BloomHands(BloomSystem system) {
    this.system = system;
  }

  @Override
  Reply prepare(Order order) throws Exception {
    if (order instanceof Order.Fill fill && !filters.containsKey(fill.filter())) {
      Elements filter = system.create(fill.filter(), fill.size(), fill.rate());
      filters.put(fill.filter(), filter);
      for (int from = 0; fill.full() && from < fill.size(); from += PORTION) {
        filter.addAll(keys(from, Math.min(PORTION, fill.size() - from)));
      }
    } else if (order instanceof Order.Probe probe) {
      callers = callers(probe);
    } else if (order instanceof Order.AtOnce once) {
      List<String> all = keys(0, once.elements());
      filter(once.filter(), order).addAll(all);
      long maybe = filter(once.filter(), order).countMaybe(all);
      if (maybe != all.size()) {
        return new Reply.Failed(all.size() - maybe + " elements were denied");
      }
    } else if (order instanceof Order.AskAbsent ask) {
      long wrong = 0;
      for (int done = 0; done < ask.count(); done += PORTION) {
        int count = Math.min(PORTION, ask.count() - done);
        wrong += filter(ask.filter(), order).countMaybe(keys(ask.from() + done, count));
      }
      return new Reply.Wrong(wrong);
    }
    return new Reply.Done();
  }

  private Elements filter(String name, Order order) {
    return Hands.present(filters.get(name), order);
  }

  private Callers callers(Order.Probe probe) {
    Elements filter = filter(probe.filter(), probe);
    List<String> keys = keys(0, probe.elements());
    Map<String, List<String>> bulks = new HashMap<>();
    if (probe.task() == Task.CHECK_100 || probe.task() == Task.ADD_100) {
      for (int from = 0; from + BULK <= keys.size(); from += BULK) {
        bulks.put(keys.get(from), keys.subList(from, from + BULK));
      }
      keys = List.copyOf(bulks.keySet());
    }
    return new Callers(
        new Gate() {
          @Override
          public boolean pass(String key) {
            return switch (probe.task()) {
              case CHECK -> filter.check(key);
              case ADD -> {
                filter.add(key);
                yield true;
              }
              case CHECK_100 -> filter.countMaybe(bulks.get(key)) == BULK;
              case ADD_100 -> filter.addAll(bulks.get(key)) >= 0;
            };
          }

          @Override
          public CompletionStage<Boolean> passLater(String key) {
            return switch (probe.task()) {
              case CHECK -> filter.checkLater(key);
              case ADD -> filter.addLater(key).thenApply(isNew -> true);
              default -> throw new IllegalArgumentException("blocking only: " + probe.task());
            };
          }
        },
        keys,
        probe.calls());
  }
}
