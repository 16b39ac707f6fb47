package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** Runs one test of a contract, by name. */
final class ContractRun {
  private ContractRun() {}

  static void run(ContractFixture contract, String test) throws Throwable {
    Method method = find(contract.getClass(), test);
    contract.start();
    try {
      method.invoke(contract);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      contract.stop();
    }
  }

  private static Method find(Class<?> contract, String test) throws NoSuchMethodException {
    for (Class<?> type = contract; type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.getName().equals(test)) {
          assertThat(method.isAnnotationPresent(Test.class)).isTrue();
          method.setAccessible(true);
          return method;
        }
      }
    }
    throw new NoSuchMethodException(test);
  }
}
