package io.policyscheduler.cmd.rule;

import java.util.Locale;

/** What a case may expect of a node. */
enum CasePart {
    /** Whether a predicate takes the node: true or false. */
    FITS,
    /** What a priority gives the node, after normalising: 0 to 100. */
    SCORE,
    /** Why a predicate does not take the node. */
    REASON,
    /** How the rule fails. */
    ERROR;

    /** The word in a file of cases. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
