package dev.sluice.verification.crash;

import java.time.Duration;

/**
 * The settings of one run.
 *
 * @param kills how many processes are killed
 * @param killsPerSale after which a sale comes to rest and is checked
 * @param seed of the order of things
 * @param program that sells
 * @param sellersOnly kills nothing but sellers: the store and the database lose nothing
 * @param patience for a sale to come to rest
 */
record CrashSettings(
    int kills,
    int killsPerSale,
    long seed,
    Class<? extends SellerMain> program,
    boolean sellersOnly,
    Duration patience) {

  CrashSettings {
    if (kills < 1 || kills > 100_000) {
      throw new IllegalArgumentException("kills must be 1 to 100000: " + kills);
    }
    if (killsPerSale < 1) {
      throw new IllegalArgumentException("kills per sale must be at least 1: " + killsPerSale);
    }
  }

  static CrashSettings of(int kills, long seed) {
    return new CrashSettings(kills, 50, seed, SellerMain.class, false, Duration.ofSeconds(60));
  }

  int stock() {
    return Math.max(100, 40 * Math.min(kills, killsPerSale));
  }
}
