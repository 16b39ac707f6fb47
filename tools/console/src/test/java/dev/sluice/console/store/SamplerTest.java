package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.console.Asked;
import dev.sluice.console.Console;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.NoteBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
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
      assertThat(Asked.hear(stream, "event: tick")).contains("event: tick");
      assertThat(failures.get()).isNegative();
    }
  }
}
