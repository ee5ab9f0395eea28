/** Puts engine, algorithms and framework together. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.setup;
