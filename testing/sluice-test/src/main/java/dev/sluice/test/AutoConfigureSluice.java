package dev.sluice.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Gives the application of a Spring Boot test a store in memory in place of the configured one, and
 * a bean of type {@link dev.sluice.memory.ManualTime}: the time of its locks, limits and caches,
 * which stands still until the test moves it. Beans of type {@code Sluice}, the application's own
 * ones too, and {@code Backend} are replaced under their names.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureSluice
 * class ShopTest {
 *   @Autowired ManualTime time;
 * }
 * }</pre>
 *
 * <p>Applications that are cached between tests keep their store, and what was locked and counted
 * in it.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(MemoryConfiguration.class)
public @interface AutoConfigureSluice {}
