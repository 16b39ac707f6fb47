package dev.sluice.internal.lock;

import dev.sluice.internal.call.Failures;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.text.Names;

/** The relation between several attempts of one client on one name at the store. */
enum Attempts {
  /** The attempts of a lock: a client has one grant, and a new attempt ends the earlier one. */
  SUCCESSIVE {
    @Override
    String undoKey(GrantAttempt attempt) {
      return attempt.name();
    }

    @Override
    String what(String name) {
      return Failures.lock(name);
    }
  },

  /** The attempts of units: a client may have several grants, and each ends separately. */
  SEPARATE {
    @Override
    String undoKey(GrantAttempt attempt) {
      return attempt.attempt() + " " + attempt.name();
    }

    @Override
    String what(String name) {
      return "permits of " + Names.quoted(name);
    }
  };

  /** Releases of one key are merged into that of the latest attempt. */
  abstract String undoKey(GrantAttempt attempt);

  /** The name of the kind in messages. */
  abstract String what(String name);
}
