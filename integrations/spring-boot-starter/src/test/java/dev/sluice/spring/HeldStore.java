package dev.sluice.spring;

import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LimitRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/** The store of this JVM behind a line on which no decision comes through until a gate opens. */
public final class HeldStore {
  private HeldStore() {}

  public static Backend until(CompletableFuture<Void> gate) {
    MemoryBackend real = new MemoryBackend();
    LimitBackend limits = real.limits();
    LimitBackend held =
        (LimitBackend)
            Proxy.newProxyInstance(
                LimitBackend.class.getClassLoader(),
                new Class<?>[] {LimitBackend.class},
                (proxy, method, arguments) ->
                    method.getName().equals("decide")
                        ? gate.thenCompose(open -> limits.decide((LimitRequest) arguments[0]))
                        : call(method, limits, arguments));
    return (Backend)
        Proxy.newProxyInstance(
            Backend.class.getClassLoader(),
            new Class<?>[] {Backend.class},
            (proxy, method, arguments) ->
                method.getName().equals("limits") ? held : call(method, real, arguments));
  }

  private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
