/** The two executors of a checked rule: our own, which has an object for each term, and MVEL. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.executor;
