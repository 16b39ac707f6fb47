package dev.sluice.bench.licences;

import java.util.List;

/**
 * A library that one of our modules depends on at run time.
 *
 * @param id {@code group:artifact}
 * @param version which
 * @param licences SPDX names; a user may choose one
 */
public record Component(String id, String version, List<String> licences) {}
