package dev.sluice.spring.cache;

import dev.sluice.BackendException;
import dev.sluice.SluiceException;
import dev.sluice.cache.GuardedCache;
import dev.sluice.text.Names;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of a key whose loader is not known yet. It ends with the value, or with the right to
 * store one. Safe for use by many threads.
 */
final class Lookup {

  /** Thrown to waiting callers if a load ended without a value. */
  static final class NotBroughtException extends SluiceException {
    private static final long serialVersionUID = 1L;

    NotBroughtException(String text) {
      super(
          "the value of " + Names.quoted(text) + " was not brought by the call that loaded it",
          null);
    }
  }

  private final SluiceCache cache;
  private final String text;
  private final CompletableFuture<@Nullable Object> value = new CompletableFuture<>();
  private final CompletableFuture<Boolean> leads = new CompletableFuture<>();
  private final CompletableFuture<Optional<Object>> answer;

  /** Registers a call that knows that the key is loaded around it. */
  private final boolean empty;

  private Lookup(SluiceCache cache, String text) {
    this.cache = cache;
    this.text = text;
    this.answer = new CompletableFuture<>();
    this.empty = true;
  }

  Lookup(SluiceCache cache, GuardedCache<Object, Object> store, Object key, String text) {
    this.cache = cache;
    this.text = text;
    this.empty = false;
    this.answer =
        store
            .async()
            .get(
                key,
                wanted -> {
                  leads.complete(true);
                  return value;
                })
            .toCompletableFuture();
    if (answer.isDone()) { // only a reload before the end of the time to live requests it now
      value.completeExceptionally(
          new BackendException("the value of " + Names.quoted(text) + " is available", null));
    }
  }

  /** A call whose value has no reader. */
  static Lookup withoutRight(SluiceCache cache, String text) {
    return new Lookup(cache, text);
  }

  boolean isOf(SluiceCache cache, String text) {
    return this.cache == cache && this.text.equals(text);
  }

  boolean mayFill() {
    return !empty;
  }

  /**
   * Waits on this thread until a value or a fill lease is available.
   *
   * @param mostMillis how long; 0 for no bound
   * @return the value; null: this caller loads
   * @throws NotBroughtException if the loading caller stored nothing, or took too long
   */
  @Nullable Optional<Object> await(long mostMillis) {
    CompletableFuture<Object> first = CompletableFuture.anyOf(leads, answer);
    try {
      if (mostMillis == 0) {
        first.get();
      } else {
        first.get(mostMillis, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      giveUp();
      Thread.currentThread().interrupt();
      throw new SluiceException(
          "interrupted while waiting for the value of " + Names.quoted(text), e);
    } catch (TimeoutException e) {
      giveUp();
      throw new NotBroughtException(text);
    } catch (ExecutionException e) {
      giveUp();
      throw thrown(e);
    }
    if (!answer.isDone()) {
      return null;
    }
    giveUp(); // a later request for a value gets none here
    return outcome();
  }

  /** Passes the value on, and waits until it is stored, or known not to be. */
  void bring(@Nullable Object loaded) {
    if (value.complete(loaded)) {
      outcome();
    }
  }

  private Optional<Object> outcome() {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw thrown(e);
    }
  }

  private static RuntimeException thrown(Exception wrapper) {
    Throwable cause = wrapper.getCause();
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException failure
        ? failure
        : new SluiceException(String.valueOf(wrapper.getMessage()), wrapper);
  }

  void giveUp() {
    value.completeExceptionally(new NotBroughtException(text));
  }
}
