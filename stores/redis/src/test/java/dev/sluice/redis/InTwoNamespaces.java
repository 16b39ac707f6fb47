package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import java.lang.reflect.Method;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Runs each test of a contract twice, side by side on one server, in two namespaces: the same
 * names, and neither may see what the other does.
 */
@ExtendWith(InTwoNamespaces.Twice.class)
public abstract class InTwoNamespaces extends ContractFixture {
  private final RedisServer server;
  private String namespace = "one";

  public InTwoNamespaces(RedisServer server) {
    this.server = server;
  }

  @Override
  protected final StoreUnderTest openStore() {
    return RedisStoreUnderTest.inNamespace(server, namespace);
  }

  /** Runs the test in the other namespace, too. */
  static final class Twice implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> test,
        ExtensionContext context)
        throws Throwable {
      both(invocation, test);
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> test,
        ExtensionContext context)
        throws Throwable {
      both(invocation, test);
    }

    private static void both(Invocation<Void> invocation, ReflectiveInvocationContext<Method> test)
        throws Throwable {
      InTwoNamespaces one = (InTwoNamespaces) requireNonNull(test.getTarget().orElse(null));
      InTwoNamespaces other = ReflectionSupport.newInstance(one.getClass(), one.server);
      other.namespace = "two";
      FutureTask<Void> twin =
          new FutureTask<>(
              () -> {
                other.start();
                try {
                  ReflectionSupport.invokeMethod(
                      test.getExecutable(), other, test.getArguments().toArray());
                } finally {
                  other.stop();
                }
                return null;
              });
      new Thread(twin, "the other namespace").start();
      try {
        invocation.proceed();
      } finally {
        twin.get();
      }
    }
  }
}
