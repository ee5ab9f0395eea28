/** Asks a running scheduler why it decided as it did. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.why;
