package dev.sluice.spring.internal;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Opens a client or a store. Filters are made while an embedded server starts, on a thread with the
 * class loader of the web application. Threads that begin there would inherit it, and when the
 * start fails, Tomcat would find them before the application context has closed the store.
 *
 * @since 0.1
 */
public final class Opening {
  private Opening() {}

  /**
   * Opens the store such that threads started meanwhile get the class loader of the application.
   *
   * @param loader of the application; null if unknown
   */
  public static <T> T with(@Nullable ClassLoader loader, Supplier<T> open) {
    ClassLoader before = ClassUtils.overrideThreadContextClassLoader(loader);
    try {
      return open.get();
    } finally {
      if (before != null) {
        Thread.currentThread().setContextClassLoader(before);
      }
    }
  }
}
