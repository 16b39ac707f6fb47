package dev.sluice.console;

/** Writes down who changed what, in the log of the process and among the events. */
final class Audit {
  private static final System.Logger LOG = System.getLogger("dev.sluice.console.audit");
  private static final int LONGEST = 600;

  private final EventLog events;

  Audit(EventLog events) {
    this.events = events;
  }

  /**
   * Notes a change, or that one was refused.
   *
   * @param request whose
   * @param what was asked for: lock.release, limit.change, sign-in
   * @param name of what it was about; empty for nothing
   * @param outcome done, refused or failed, and why
   */
  void note(ConsoleRequest request, String what, String name, String outcome) {
    String shown = oneLine(name);
    String ended = oneLine(outcome);
    LOG.log(
        System.Logger.Level.INFO,
        "console: who={0} what={1} name=''{2}'' outcome={3}",
        request.who(),
        what,
        shown,
        ended);
    events.add(
        ended.startsWith("done") ? "info" : "warning",
        "audit",
        "who",
        request.who(),
        "what",
        what,
        "name",
        shown,
        "outcome",
        ended);
  }

  /** A name may hold what would look like a line of its own. */
  private static String oneLine(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .limit(LONGEST)
        .forEach(c -> out.appendCodePoint(Character.isISOControl(c) ? '\uFFFD' : c));
    return out.toString();
  }
}
