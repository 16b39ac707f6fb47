package dev.sluice.internal.lock;

import dev.sluice.internal.call.Failures;
import dev.sluice.text.Names;

/** The relation between several attempts of one client on one name at the store. */
enum Attempts {
  /** Of a lock: a client has one grant, and a new attempt ends what the one before has. */
  SUCCESSIVE {
    @Override
    String undoKey(String name, long attempt) {
      return name;
    }

    @Override
    String what(String name) {
      return Failures.lock(name);
    }
  },

  /** Of units: a client may have several grants, and each is ended by itself. */
  SEPARATE {
    @Override
    String undoKey(String name, long attempt) {
      return attempt + " " + name;
    }

    @Override
    String what(String name) {
      return "permits of " + Names.quoted(name);
    }
  };

  /** Releases of one key are merged into that of the latest attempt. */
  abstract String undoKey(String name, long attempt);

  /** How messages name what is kept. */
  abstract String what(String name);
}
