package dev.sluice.spring.internal;

import dev.sluice.spring.SluiceProperties;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Chooses the store of the {@code Sluice} bean, if the application defines neither {@code Sluice}
 * nor {@code Backend}. It is the one of the settings, or else the one whose module is present. If
 * two modules are present, the start fails, because the store of the locks must not be guessed.
 *
 * @param kind the store
 * @param said whether the settings say so
 * @since 0.1
 */
public record StoreChoice(Kind kind, boolean said) {
  private static final String REDIS_MODULE = "dev.sluice.redis.RedisBackend";
  private static final String JDBC_MODULE = "dev.sluice.jdbc.JdbcBackend";
  private static final String REDIS_DETAILS =
      "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails";

  private static final List<String> REDIS_SETTINGS =
      List.of(
          "spring.data.redis.url",
          "spring.data.redis.host",
          "spring.data.redis.sentinel.master",
          "spring.data.redis.cluster.nodes",
          "spring.data.redis.masterreplica.nodes");
  private static final List<String> DATABASE_SETTINGS =
      List.of("spring.datasource.url", "spring.datasource.jndi-name");

  /** A store, or the reason why there is none. */
  public enum Kind {
    URL,
    MEMORY,
    REDIS,
    JDBC,
    /** Both a URL and a store are set. */
    TWICE,
    /** Neither is set, and the application has both Redis and a database. */
    AMBIGUOUS
  }

  public static StoreChoice of(
      Environment environment, ListableBeanFactory beans, @Nullable ClassLoader loader) {
    Binder settings = Binder.get(environment);
    boolean url = StringUtils.hasText(settings.bind("sluice.url", String.class).orElse(""));
    SluiceProperties.Store store =
        settings.bind("sluice.store", SluiceProperties.Store.class).orElse(null);
    if (url || store != null) {
      Kind kind = store == null ? Kind.URL : url ? Kind.TWICE : Kind.valueOf(store.name());
      return new StoreChoice(kind, true);
    }
    boolean redis =
        ClassUtils.isPresent(REDIS_MODULE, loader)
            && (hasRedis(beans, loader) || isSet(settings, REDIS_SETTINGS));
    boolean jdbc =
        ClassUtils.isPresent(JDBC_MODULE, loader)
            && (hasDatabase(beans) || isSet(settings, DATABASE_SETTINGS));
    return new StoreChoice(
        redis && jdbc ? Kind.AMBIGUOUS : redis ? Kind.REDIS : jdbc ? Kind.JDBC : Kind.MEMORY,
        false);
  }

  /** A store in the settings counts as one, so that it is never ignored silently. */
  private static boolean isSet(Binder settings, List<String> names) {
    return names.stream()
        .anyMatch(
            name ->
                settings
                    .bind(name, Bindable.listOf(String.class))
                    .map(values -> !values.isEmpty())
                    .orElse(false));
  }

  private static boolean hasRedis(ListableBeanFactory beans, @Nullable ClassLoader loader) {
    if (!ClassUtils.isPresent(REDIS_DETAILS, loader)) {
      return false;
    }
    Class<?> details = ClassUtils.resolveClassName(REDIS_DETAILS, loader);
    return has(beans, details);
  }

  private static boolean hasDatabase(ListableBeanFactory beans) {
    return has(beans, DataSource.class);
  }

  private static boolean has(ListableBeanFactory beans, Class<?> type) {
    return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
  }

  /** Describes a missing or surplus setting. */
  public SluiceStartException failure(ListableBeanFactory beans, @Nullable ClassLoader loader) {
    return switch (kind) {
      case TWICE ->
          new SluiceStartException(
              "sluice.url and sluice.store are both set: the first names a server, the second a"
                  + " connection that the application has",
              "Remove one of them.");
      case AMBIGUOUS ->
          new SluiceStartException(
              "Sluice could work on the application's Redis or on its DataSource: both are there,"
                  + " and so are the modules for both",
              "Say which: sluice.store=redis, sluice.store=jdbc, or sluice.url for a third one.");
      case REDIS -> withoutRedis(loader);
      default -> withoutDatabase(beans, loader);
    };
  }

  private SluiceStartException withoutRedis(@Nullable ClassLoader loader) {
    if (!ClassUtils.isPresent(REDIS_MODULE, loader)) {
      return missing("the module for Redis is", "Add dev.sluice:sluice-redis");
    }
    if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", loader)) {
      return missing("Lettuce, the Redis client of Sluice, is", "Add io.lettuce:lettuce-core");
    }
    String fix =
        "Add org.springframework.boot:spring-boot-starter-data-redis, or name the server by"
            + " sluice.url=redis://host:6379"
            + instead();
    return ClassUtils.isPresent(REDIS_DETAILS, loader)
        ? new SluiceStartException(
            wanted()
                + ", and the application has no connection details of Redis: no bean of type"
                + " DataRedisConnectionDetails",
            fix + ".")
        : missing("Spring Boot's settings of Redis are", fix);
  }

  private SluiceStartException withoutDatabase(
      ListableBeanFactory beans, @Nullable ClassLoader loader) {
    if (!ClassUtils.isPresent(JDBC_MODULE, loader)) {
      return missing("the module for databases is", "Add dev.sluice:sluice-jdbc");
    }
    String orUrl = ", or name the database by sluice.url=jdbc:..." + instead();
    return hasDatabase(beans)
        ? missing(
            "Spring Boot's JDBC support is",
            "Add org.springframework.boot:spring-boot-starter-jdbc" + orUrl)
        : new SluiceStartException(
            wanted() + ", and the application has no DataSource",
            "Add org.springframework.boot:spring-boot-starter-jdbc and a driver, and set"
                + " spring.datasource.url"
                + orUrl
                + ".");
  }

  private SluiceStartException missing(String what, String fix) {
    return new SluiceStartException(
        "%s, and %s not on the class path".formatted(wanted(), what), fix + ".");
  }

  /** The reason for this store. */
  private String wanted() {
    if (said) {
      return "sluice.store=" + kind.name().toLowerCase(Locale.ROOT);
    }
    return kind == Kind.REDIS
        ? "spring.data.redis.* and sluice-redis are there"
        : "spring.datasource.* and sluice-jdbc are there";
  }

  private String instead() {
    return said ? " in place of sluice.store" : ", or set sluice.store=memory if one JVM is enough";
  }
}
