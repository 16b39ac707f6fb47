package dev.sluice.testkit;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.SluiceBuilder;
import dev.sluice.spi.Backend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The store, the clients and the threads of one test. The test of a store extends it.
 *
 * @since 0.1
 */
public abstract class ContractFixture implements Contract {

  private @Nullable StoreUnderTest store;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<FlakyBackend> lines = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Class<?>, Object> kept = new LinkedHashMap<>();

  /** Created by JUnit for each test. */
  protected ContractFixture() {}

  /**
   * Starts the store for one test.
   *
   * @return an empty store
   * @throws Exception if it does not start
   */
  protected abstract StoreUnderTest openStore() throws Exception;

  /**
   * Opens the store.
   *
   * @throws Exception if it does not start
   */
  @BeforeEach
  public final void start() throws Exception {
    store = openStore();
  }

  /**
   * Closes registered resources, then clients, then the store.
   *
   * @throws Exception if something does not close
   */
  @AfterEach
  public final void stop() throws Exception {
    try {
      for (Object each : kept.values()) {
        if (each instanceof AutoCloseable closeable) {
          closeable.close();
        }
      }
      for (Thread thread : threads) {
        thread.interrupt();
      }
      lines.forEach(FlakyBackend::heal);
      for (int i = open.size() - 1; i >= 0; i--) {
        open.get(i).close();
      }
    } finally {
      if (store != null) { // null if the store could not be opened, or is not on this machine
        store.close();
      }
    }
  }

  @Override
  public final StoreUnderTest store() {
    return requireNonNull(store, "the store is opened before each test");
  }

  @Override
  public final synchronized <T> T kept(Class<T> type, Supplier<T> maker) {
    Object known = kept.get(type);
    if (known == null) {
      known = maker.get();
      kept.put(type, known);
    }
    return type.cast(known);
  }

  @Override
  public final Sluice client(Backend backend, Consumer<SluiceBuilder> settings) {
    SluiceBuilder builder = Sluice.builder().backend(backend);
    store().configure(builder);
    settings.accept(builder);
    Sluice client = builder.build();
    open.add(client);
    return client;
  }

  @Override
  public final FlakyBackend line() {
    FlakyBackend line = new FlakyBackend(connect());
    lines.add(line);
    return line;
  }

  @Override
  public final Backend connect() {
    Backend backend = store().connect();
    open.add(backend);
    return backend;
  }

  @Override
  public final <T> Running<T> start(Task<T> task) {
    FutureTask<T> future = new FutureTask<>(task::run);
    Thread thread = new Thread(future, "contract-" + threads.size());
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return new Running<>(thread, future);
  }
}
