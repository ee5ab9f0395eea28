/** Writes a dump of a running cluster with the objects that decisions depend on. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.dump;
