/** The checked tree of a rule, what is known of it before it runs, and what an executor makes of it. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.term;
