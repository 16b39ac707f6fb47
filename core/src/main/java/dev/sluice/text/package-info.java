/** Text for people and stores: quoted names, names as keys, URLs without their secrets. */
@NullMarked
package dev.sluice.text;

import org.jspecify.annotations.NullMarked;
