package dev.sluice.verification.torture;

import dev.sluice.lock.LeaseState;
import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Event.End;
import java.util.Locale;

/**
 * Events of a client as lines of text, words between blanks. The first word says what it is, the
 * second when.
 */
final class EventText {
  private EventText() {}

  static String write(Event event) {
    if (event instanceof Event.Invoked e) {
      return line('I', e.at(), e.op(), e.name(), e.waitNanos());
    } else if (event instanceof Event.Acquired e) {
      return line('A', e.at(), e.op(), e.name(), e.token());
    } else if (event instanceof Event.Ended e) {
      return line('X', e.at(), e.op(), e.end(), e.detail().replace('\n', ' '));
    } else if (event instanceof Event.Deadline e) {
      return line('D', e.at(), e.op(), e.until());
    } else if (event instanceof Event.Told e) {
      return line('T', e.at(), e.op(), e.state());
    } else if (event instanceof Event.ReleaseCalled e) {
      return line('C', e.at(), e.op());
    } else if (event instanceof Event.Released e) {
      return line('R', e.at(), e.op(), e.wasOurs());
    }
    throw new IllegalArgumentException("clients do not report " + event);
  }

  private static String line(char kind, long at, Object... words) {
    StringBuilder line = new StringBuilder().append(kind).append(' ').append(at);
    for (Object word : words) {
      line.append(' ').append(word);
    }
    return line.toString();
  }

  static Event read(String client, String line) {
    String[] words = line.split(" ", 5);
    long at = Long.parseLong(words[1]);
    int op = Integer.parseInt(words[2]);
    return switch (words[0]) {
      case "I" -> new Event.Invoked(at, op, client, words[3], Long.parseLong(words[4]));
      case "A" -> new Event.Acquired(at, op, client, words[3], Long.parseLong(words[4]));
      case "X" -> new Event.Ended(at, op, End.valueOf(words[3]), words[4]);
      case "D" -> new Event.Deadline(at, op, Long.parseLong(words[3]));
      case "T" -> new Event.Told(at, op, LeaseState.valueOf(words[3].toUpperCase(Locale.ROOT)));
      case "C" -> new Event.ReleaseCalled(at, op);
      case "R" -> new Event.Released(at, op, Boolean.parseBoolean(words[3]));
      default -> throw new IllegalArgumentException("not an event: " + line);
    };
  }
}
