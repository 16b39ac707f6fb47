package dev.sluice.flashsale.desk;

import dev.sluice.inventory.Claim;
import java.util.List;
import java.util.Map;

/**
 * What visitors see of a sale: views for showing, each in the type of Redis that is made for it.
 * They may be behind, or gone; what was sold is in the {@link OrderBook}. Safe for use by many
 * threads.
 */
public interface Showcase extends AutoCloseable {

  /** Orders on a page of the recent ones. */
  int PAGE = 10;

  /** How many recent orders are kept. */
  int MOST_RECENT = 1000;

  /** Where buyers come from, for the leader board. */
  List<String> TOWNS =
      List.of("Amsterdam", "Bergen", "Chengdu", "Delft", "Evora", "Fushun", "Ghent", "Hangzhou");

  /**
   * Puts a sale into the window, unless it is there.
   *
   * @param sale which
   * @param product what is sold: a hash
   * @param units how many are shown as left: a counter
   */
  void open(String sale, Map<String, String> product, long units);

  /**
   * Shows orders. Those of buyers who are shown already change nothing: a drain may come twice.
   *
   * @param sale which
   * @param orders that are durable
   */
  void show(String sale, List<Claim> orders);

  /**
   * Looks.
   *
   * @param sale which
   * @param page of the recent orders, from 0
   * @return what there is to see
   */
  View look(String sale, int page);

  @Override
  void close();

  /**
   * What there is to see.
   *
   * @param product a hash
   * @param stock units left, a counter
   * @param buyers how many, from a set
   * @param recent one page of the last orders, the newest first, from a list
   * @param leaders towns by orders, the best first, from a sorted set
   */
  record View(
      Map<String, String> product,
      long stock,
      long buyers,
      List<String> recent,
      List<Leader> leaders) {}

  /**
   * A line of the leader board.
   *
   * @param town where
   * @param orders how many
   */
  record Leader(String town, long orders) {}

  /** {@return where a buyer comes from, as far as a sample can tell} */
  static String town(String buyer) {
    return TOWNS.get(Math.floorMod(buyer.hashCode(), TOWNS.size()));
  }
}
