package dev.sluice.spring;

/**
 * Which of the application's stores the {@code Sluice} bean works on.
 *
 * @since 0.1
 */
public enum Store {
  /** The memory of this JVM. */
  MEMORY,
  /** The Redis that spring.data.redis names. Needs sluice-redis. */
  REDIS,
  /** The application's DataSource. Needs sluice-jdbc. */
  JDBC
}
