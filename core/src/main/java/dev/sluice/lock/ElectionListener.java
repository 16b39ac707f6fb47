package dev.sluice.lock;

/**
 * A listener for the terms of one process. Calls come in order, on Sluice's callback executor.
 *
 * @since 0.1
 */
public interface ElectionListener {

  /**
   * This candidate was elected.
   *
   * @param term the term; it may be over again by now
   */
  default void elected(Term term) {}

  /**
   * The term has ended and the callback has returned.
   *
   * @param term the term
   * @param why what ended it
   */
  default void steppedDown(Term term, StepDown why) {}

  /**
   * The callback threw, or this candidate could not stand for election. We try again after a pause.
   *
   * @param failure what was thrown
   */
  default void failed(Throwable failure) {}
}
