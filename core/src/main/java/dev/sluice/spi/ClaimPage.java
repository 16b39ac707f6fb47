package dev.sluice.spi;

import java.util.List;

/**
 * A page of the claims of the present sale.
 *
 * @param rows the last claim of each of these claimants; a claimant may be on several pages
 * @param next asks for the page after it; empty: there is none
 * @since 0.1
 */
public record ClaimPage(List<ClaimRow> rows, String next) {}
