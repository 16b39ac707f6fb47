package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.console.Asked;
import dev.sluice.console.Console;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Json;
import dev.sluice.inventory.Sale;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.NoteBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The look at the store each second. */
class SamplerTest {
  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** A store that was away may answer for locks first, and for stocks a look later. */
  @Test
  @Timeout(60)
  void aStoreThatComesBackEmptyAndHalfIsToldAsEmptied() {
    AtomicReference<MemoryBackend> memory = new AtomicReference<>(new MemoryBackend());
    AtomicBoolean away = new AtomicBoolean();
    GrantBackend locks =
        proxy(
            GrantBackend.class,
            (proxy, method, arguments) -> call(memory.get().locks(), method, arguments));
    InventoryBackend stocks =
        proxy(
            InventoryBackend.class,
            (proxy, method, arguments) -> {
              if (away.get()) {
                throw new BackendException("nobody answers", null);
              }
              return call(memory.get().inventories(), method, arguments);
            });
    Backend store =
        proxy(
            Backend.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "locks" -> locks;
                  case "inventories" -> stocks;
                  default -> call(memory.get(), method, arguments);
                });
    try (Sluice sluice = Sluice.builder().backend(store).build();
        Console console = Console.builder(sluice).build()) {
      assertThat(sluice.lock("x").tryAcquire()).isPresent();
      sluice.inventory("sku").open(Sale.epoch(1).total(10));
      assertThat(look(console)).containsEntry("reachable", true);
      away.set(true);
      assertThat(look(console)).containsEntry("reachable", false);
      memory.set(new MemoryBackend());
      assertThat(look(console)).containsEntry("reachable", false);
      away.set(false);
      assertThat(look(console)).containsEntry("reachable", true);
      assertThat(Json.objects(Asked.json(Asked.get("/api/events").of(console)), "events", 10))
          .extracting(event -> event.get("kind"))
          .containsExactly("store.emptied", "store.back", "store.away");
    }
  }

  /** Those who waited for a lock take it as soon as the store is back. */
  @Test
  @Timeout(60)
  void aStoreThatComesBackEmptyIsToldThoughOthersAreFasterThanTheConsole() {
    assertThat(eventsOfReturn(false)).containsExactly("store.emptied", "store.back", "store.away");
    assertThat(eventsOfReturn(true)).containsExactly("store.back", "store.away");
  }

  /** What the console notes of a store that was away, with the locks of before or without. */
  private static List<Object> eventsOfReturn(boolean withItsLocks) {
    AtomicReference<MemoryBackend> memory = new AtomicReference<>(new MemoryBackend());
    AtomicBoolean away = new AtomicBoolean();
    GrantBackend locks =
        proxy(
            GrantBackend.class,
            (proxy, method, arguments) -> {
              if (away.get()) {
                throw new BackendException("nobody answers", null);
              }
              return call(memory.get().locks(), method, arguments);
            });
    Backend store =
        proxy(
            Backend.class,
            (proxy, method, arguments) ->
                method.getName().equals("locks") ? locks : call(memory.get(), method, arguments));
    LockOptions hour = LockOptions.fixed(Duration.ofHours(1));
    try (Sluice sluice = Sluice.builder().backend(store).build();
        Console console = Console.builder(sluice).build()) {
      assertThat(sluice.lock("held", hour).tryAcquire()).isPresent();
      Lease contended = sluice.lock("contended", hour).tryAcquire().orElseThrow();
      assertThat(look(console)).containsEntry("reachable", true);
      away.set(true);
      assertThat(look(console)).containsEntry("reachable", false);
      away.set(false);
      if (withItsLocks) {
        contended.release();
      } else {
        memory.set(new MemoryBackend());
      }
      try (Sluice other = Sluice.builder().backend(memory.get()).build()) {
        assertThat(other.lock("contended", hour).tryAcquire()).isPresent();
        assertThat(look(console)).containsEntry("reachable", true);
      }
      return Json.objects(Asked.json(Asked.get("/api/events").of(console)), "events", 10).stream()
          .map(event -> event.get("kind"))
          .toList();
    }
  }

  private static Map<String, Object> look(Console console) {
    return Asked.json(Asked.get("/api/locks").of(console));
  }

  @Test
  @Timeout(60)
  void anErrorInOneLookDoesNotEndTheNextOnes() {
    AtomicInteger failures = new AtomicInteger(2);
    MemoryBackend memory = new MemoryBackend();
    NoteBackend notes =
        proxy(
            NoteBackend.class,
            (proxy, method, arguments) -> {
              if (failures.getAndDecrement() > 0) {
                throw new NoClassDefFoundError("a class that a look needs");
              }
              return call(memory.notes(), method, arguments);
            });
    Backend store =
        proxy(
            Backend.class,
            (proxy, method, arguments) ->
                method.getName().equals("notes") ? notes : call(memory, method, arguments));
    try (Sluice sluice = Sluice.builder().backend(store).build();
        Console console = Console.builder(sluice).build()) {
      ConsoleResponse stream = Asked.get("/api/stream?page=overview").of(console);
      assertThat(Asked.receive(stream, "event: tick")).contains("event: tick");
      assertThat(failures.get()).isNegative();
    }
  }
}
