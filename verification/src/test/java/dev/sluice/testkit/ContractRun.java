package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** Runs one test of a contract, by name. */
final class ContractRun {
  private ContractRun() {}

  static void run(ContractFixture contract, String test) throws Throwable {
    Method method = contract.getClass().getMethod(test);
    assertThat(method.isAnnotationPresent(Test.class)).isTrue();
    method.setAccessible(true);
    contract.start();
    try {
      method.invoke(contract);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      contract.stop();
    }
  }
}
