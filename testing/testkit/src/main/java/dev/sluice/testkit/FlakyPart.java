package dev.sluice.testkit;

import static java.util.Objects.requireNonNull;

import dev.sluice.testkit.FlakyBackend.Verb;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of the store behind a {@link FlakyBackend}; each method is sent as one verb.
 *
 * @param line what calls go over
 * @param store the part itself
 * @param verbs the verb of each method
 * @param rest the verb of methods that are not listed
 */
record FlakyPart(FlakyBackend line, Object store, Map<String, Verb> verbs, @Nullable Verb rest)
    implements InvocationHandler {

  static final Map<String, Verb> BLOOMS = Map.of("touch", Verb.TOUCH);

  static final Map<String, Verb> CACHES =
      Map.ofEntries(
          Map.entry("read", Verb.READ),
          Map.entry("begin", Verb.BEGIN),
          Map.entry("keep", Verb.KEEP),
          Map.entry("fill", Verb.FILL),
          Map.entry("abandon", Verb.ABANDON),
          Map.entry("intend", Verb.INTEND),
          Map.entry("invalidate", Verb.INVALIDATE),
          Map.entry("put", Verb.PUT),
          Map.entry("clear", Verb.CLEAR),
          Map.entry("tagVersion", Verb.TAGS),
          Map.entry("invalidateTag", Verb.DROP_TAG),
          Map.entry("invalidatedAt", Verb.TAGS),
          Map.entry("append", Verb.APPEND),
          Map.entry("log", Verb.LOG));

  static final Map<String, Verb> INVENTORIES =
      Map.ofEntries(
          Map.entry("open", Verb.SELL),
          Map.entry("close", Verb.SELL),
          Map.entry("resize", Verb.SELL),
          Map.entry("look", Verb.FIGURES),
          Map.entry("claim", Verb.CLAIM),
          Map.entry("confirm", Verb.FINISH),
          Map.entry("cancel", Verb.FINISH),
          Map.entry("find", Verb.FIND),
          Map.entry("expire", Verb.EXPIRE),
          Map.entry("take", Verb.TAKE),
          Map.entry("settle", Verb.SETTLE),
          Map.entry("deadLetters", Verb.ASIDE),
          Map.entry("requeue", Verb.ASIDE),
          Map.entry("page", Verb.PAGE),
          Map.entry("restore", Verb.RESTORE),
          Map.entry("names", Verb.NAMES));

  static final Map<String, Verb> LATCHES =
      Map.of("trySet", Verb.SET_COUNT, "countDown", Verb.COUNT_DOWN, "look", Verb.LOOK);

  <T> T as(Class<T> type) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    if (name.startsWith("listen") && arguments != null) {
      arguments[1] = heard((Consumer<?>) arguments[1]);
    } else if (method.getReturnType() == CompletionStage.class) {
      Verb verb = verbs.getOrDefault(name, rest);
      if (verb == null) {
        throw new AssertionError("no verb for " + method);
      }
      return line.send(verb, () -> sent(method, arguments));
    }
    return call(method, arguments);
  }

  private <T> Consumer<T> heard(Consumer<T> listener) {
    return message -> {
      if (!line.losesMessages()) {
        listener.accept(message);
      }
    };
  }

  @SuppressWarnings("unchecked") // the handler checked the type of the method
  private CompletionStage<@Nullable Object> sent(Method method, Object @Nullable [] arguments) {
    try {
      return (CompletionStage<@Nullable Object>) requireNonNull(call(method, arguments));
    } catch (RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }
}
