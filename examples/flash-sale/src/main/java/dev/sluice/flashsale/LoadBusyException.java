package dev.sluice.flashsale;

/** A crowd of buyers is still inside. */
final class LoadBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LoadBusyException() {
    super("a load is running already: wait for its end, or stop it");
  }
}
