package dev.sluice.cli.store;

import dev.sluice.Sluice;
import picocli.CommandLine.Model.CommandSpec;

/** Chooses the store of a command: from the command line, the environment, or the default. */
public interface StoreOption {

  /** {@return the store that the first command of a command line chose} */
  static StoreOption of(CommandSpec spec) {
    return (StoreOption) spec.root().userObject();
  }

  /** {@return the URL of the store} */
  String target();

  /** Connects to the store. */
  Sluice connect();

  /** Connects to the store of filters. */
  Sluice connectToFilters();

  /** Creates the files that a store needs on this machine. */
  static void prepare(String store) {
    if (store.equals(DefaultStore.url())) {
      DefaultStore.makeFolder();
    }
    if (store.startsWith("jdbc:sqlite:")) {
      SqliteLibrary.prepare();
    }
  }
}
