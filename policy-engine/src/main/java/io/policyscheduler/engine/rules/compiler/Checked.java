package io.policyscheduler.engine.rules.compiler;


/**
 * A rule that was checked.
 *
 * @param term what is run
 * @param source the rule as written, with the term of each of its parts
 */
public record Checked(Term term, Part source) {}
