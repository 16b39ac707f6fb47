/** Commands for locks: run a command under a lock, list, show, force a release. */
@NullMarked
package dev.sluice.cli.lock;

import org.jspecify.annotations.NullMarked;
