package dev.sluice.jdbc.rows;

import dev.sluice.spi.LockMessage;
import dev.sluice.text.Names;
import java.util.Locale;
import java.util.function.Consumer;

/** Converts messages of locks to text and back. */
public final class LockMessages {
  private LockMessages() {}

  public static String text(LockMessage message) {
    return message.kind().name().toLowerCase(Locale.ROOT) + " " + Names.encode(message.name());
  }

  /** Passes on a message that contains a name, unless it is foreign. */
  public static Consumer<String> toName(Consumer<String> listener) {
    return text -> {
      String name;
      try {
        name = Names.decode(text);
      } catch (IllegalArgumentException e) {
        return;
      }
      listener.accept(name);
    };
  }

  /** Passes on a text, unless it is foreign; any client can send a notification. */
  public static Consumer<String> to(Consumer<LockMessage> listener) {
    return text -> {
      int space = text.indexOf(' ');
      if (space < 0) {
        return;
      }
      LockMessage message;
      try {
        message =
            new LockMessage(
                LockMessage.Kind.valueOf(text.substring(0, space).toUpperCase(Locale.ROOT)),
                Names.decode(text.substring(space + 1)));
      } catch (IllegalArgumentException e) {
        return;
      }
      listener.accept(message);
    };
  }
}
