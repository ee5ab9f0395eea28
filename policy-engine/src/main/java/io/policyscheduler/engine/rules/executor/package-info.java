/** The two executors of checked rules: our own, with one object per term, and MVEL. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.executor;
