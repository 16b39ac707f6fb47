package dev.sluice.test;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives parameters of tests and of their life-cycle methods a store in memory, which is new for
 * each test:
 *
 * <ul>
 *   <li>{@link Sluice}: a client of the store, closed after the test;
 *   <li>{@link ManualTime}: the time of client and store, which stands still until the test moves
 *       it: leases run out, renewals happen, permits come back;
 *   <li>{@link MemoryBackend}: the store, for a client that stands for another process: {@code
 *       Sluice.builder().backend(store).time(time, time).build()}.
 * </ul>
 *
 * <pre>{@code
 * @SluiceTest
 * class OrdersTest {
 *   @Test
 *   void aDeadHolderCostsItsTtl(Sluice sluice, ManualTime time) {
 *     Lease dead = sluice.lock("orders/42", LockOptions.fixed(ofSeconds(30))).tryAcquire().orElseThrow();
 *     time.advance(ofSeconds(31));
 *     assertThat(dead.state()).isEqualTo(LeaseState.LOST);
 *   }
 * }
 * }</pre>
 *
 * <p>A call that waits does so until another thread moves the time. In a constructor or a static
 * life-cycle method the parameters belong to the class, not to a test.
 *
 * @since 0.1
 */
public final class SluiceExtension implements ParameterResolver {
  private static final Namespace OURS = Namespace.create(SluiceExtension.class);
  private static final Set<Class<?>> TYPES =
      Set.of(Sluice.class, ManualTime.class, MemoryBackend.class);

  /** Closed by JUnit with the context that created it. */
  private record World(ManualTime time, MemoryBackend store, Sluice sluice)
      implements AutoCloseable {
    static World make() {
      ManualTime time = new ManualTime();
      MemoryBackend store = new MemoryBackend(time::storeMicros);
      return new World(time, store, Sluice.builder().backend(store).time(time, time).build());
    }

    @Override
    public void close() {
      sluice.close();
    }
  }

  /** For {@code @ExtendWith}. */
  public SluiceExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return TYPES.contains(parameter.getParameter().getType());
  }

  @Override
  @SuppressWarnings("deprecation") // its successor is not there in JUnit 5
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    World world =
        requireNonNull(
            context
                .getStore(OURS)
                .getOrComputeIfAbsent(context.getUniqueId(), id -> World.make(), World.class));
    Class<?> type = parameter.getParameter().getType();
    if (type == Sluice.class) {
      return world.sluice;
    }
    return type == ManualTime.class ? world.time : world.store;
  }
}
