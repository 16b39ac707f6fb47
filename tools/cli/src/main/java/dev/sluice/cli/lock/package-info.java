/** Commands for locks: run a command under one, list, show, force a release. */
@NullMarked
package dev.sluice.cli.lock;

import org.jspecify.annotations.NullMarked;
