package io.policyscheduler.engine.rules.check;

import io.policyscheduler.engine.rules.part.Part;
import io.policyscheduler.engine.rules.term.Term;

/**
 * A rule that was checked.
 *
 * @param term what is run
 * @param source the rule as written, with the term of each of its parts
 */
public record Checked(Term term, Part source) {}
