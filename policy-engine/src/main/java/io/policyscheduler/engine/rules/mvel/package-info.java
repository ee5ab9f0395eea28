/** The executor that is MVEL: the text that it compiles, and what that text calls. Nothing else knows MVEL. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.mvel;
