package dev.sluice.console.audit;

import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.text.Names;

/** Records changes and their users, in the log of the process and among the events. */
public final class Audit {
  private static final System.Logger LOG = System.getLogger("dev.sluice.console.audit");
  private static final int MAX_LENGTH = 600;

  private final EventLog events;

  public Audit(EventLog events) {
    this.events = events;
  }

  /**
   * Records a change, or its refusal.
   *
   * @param request whose
   * @param what was asked for: lock.release, limit.change, sign-in
   * @param name of what it was about; empty for nothing
   * @param outcome done, refused or failed, and why
   * @param known whether the user is signed in; lines of others push no event out of the log
   */
  public void note(
      ConsoleRequest request, String what, String name, String outcome, boolean known) {
    LOG.log(
        System.Logger.Level.INFO,
        "console: who={0} what={1} name={2} outcome={3}",
        request.who(),
        what,
        field(name),
        field(outcome));
    events.add(
        known,
        outcome.startsWith("done") ? "info" : "warning",
        "audit",
        "who",
        request.who(),
        "what",
        what,
        "name",
        name,
        "outcome",
        outcome);
  }

  /** A name may contain text that looks like another field or line. */
  private static String field(String text) {
    String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    return Names.quoted(cut.replace("\\", "\\\\").replace("'", "\\'"));
  }
}
