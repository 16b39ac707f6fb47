package dev.sluice.flashsale;

/** One way of selling a unit. Called by many threads concurrently. */
interface Seller {

  /** The answer to a buyer. */
  enum Answer {
    SOLD,
    SOLD_OUT,
    /** Others were faster, and there may be units left. */
    TRY_AGAIN
  }

  /** {@return the last part of the endpoint's path, and the key of the stock row} */
  String strategy();

  /** Sells one unit, or says that there is none. */
  Answer sell() throws InterruptedException;

  /** {@return where its stock row and its orders are} */
  Ledger ledger();

  /** Puts {@code stock} units on offer, with no order yet. */
  default void reset(int stock) throws InterruptedException {
    ledger().reset(strategy(), stock, 0);
  }

  /** Updates a strategy that keeps a copy with the state of the database, now and then. */
  default void refresh(Ledger.Book book) {}

  /** Waits until what buyers were told has come to its end. */
  default void settle() throws InterruptedException {}
}
