package dev.sluice.spring.store;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Settings of the store on the application's DataSource.
 *
 * @param initializeSchema Whether missing tables are made at the start: always, never, or in an
 *     embedded database only. Elsewhere they belong into the application's migrations.
 * @param tablePrefix What the names of all tables begin with, perhaps after a schema and a dot. To
 *     keep applications apart, set the namespace.
 * @param dataSource Name of the bean of type DataSource. The only one, or the primary one, if not
 *     set.
 */
@ConfigurationProperties("sluice.jdbc")
record JdbcStoreProperties(
    @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
    @DefaultValue("sluice_") String tablePrefix,
    @DefaultValue("") String dataSource) {}
