package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;

/** The pool of connections that everybody on a database server gets. */
final class Pool {
  /** HikariCP's own default. */
  static final int SIZE = 10;

  private Pool() {}

  static HikariDataSource open(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(SIZE);
    return pool;
  }
}
