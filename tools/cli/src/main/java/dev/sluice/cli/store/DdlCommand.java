package dev.sluice.cli.store;

import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import dev.sluice.jdbc.JdbcBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "ddl",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Print the statements that make the tables of a SQL store, for its migrations.",
      "",
      "Nothing is connected to: the URL says which database it is, and which namespace."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice ddl --url jdbc:postgresql: > V7__sluice.sql",
      "  sluice ddl --url jdbc:postgresql: | psql shop",
      "  sluice ddl --url 'jdbc:postgresql:?namespace=shop-staging' | psql shop"
    })
public final class DdlCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @SuppressWarnings("NullAway.Init")
  DdlCommand() {}

  @Override
  public Integer call() {
    String store = StoreOption.of(spec).target();
    if (!store.startsWith("jdbc:")) {
      throw new ParameterException(
          spec.commandLine(),
          "--url or SLUICE_URL: only SQL stores have tables, and this is not one: "
              + Text.withoutSecrets(store));
    }
    String ddl;
    try {
      ddl = JdbcBackend.ddl(store);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--url or SLUICE_URL: " + e.getMessage(), e);
    }
    spec.commandLine().getOut().println(ddl + ";");
    return Exit.OK;
  }
}
