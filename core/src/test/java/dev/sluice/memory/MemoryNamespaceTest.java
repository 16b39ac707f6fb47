package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import org.junit.jupiter.api.Test;

/** A shared store in memory, in two namespaces and in none. */
class MemoryNamespaceTest {

  @Test
  void namesOfTwoNamespacesNeverMeet() {
    try (Sluice plain = Sluice.connect("memory:spaces");
        Sluice shop = Sluice.connect("memory:spaces?namespace=shop");
        Sluice twin = Sluice.builder().uri("memory:spaces").namespace("shop").build()) {
      Lease lease = plain.lock("x").tryAcquire().orElseThrow();
      Lease other = shop.lock("x").tryAcquire().orElseThrow();
      assertThat(twin.lock("x").tryAcquire()).isEmpty();
      assertThat(twin.inspect().lockNames(9).names()).containsExactly("x");
      lease.close();
      other.checkHeld();
    }
  }

  @Test
  void aNamespaceIsForAUri() {
    assertThatThrownBy(
            () -> Sluice.builder().backend(new MemoryBackend()).namespace("shop").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("namespace applies to a uri");
    assertThatThrownBy(() -> Sluice.connect("memory:?namespace=sl"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("and not 'sl': 'sl'");
    assertThatThrownBy(() -> Sluice.connect("memory:?namspace=shop"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a memory: URI has no option but 'namespace': 'namspace'");
    assertThatThrownBy(() -> Sluice.connect("memory:x?namespace=shop&foo=bar"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a memory: URI has no option but 'namespace': 'foo'");
    assertThatThrownBy(() -> Sluice.builder().namespace(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("namespace must not be null");
  }
}
