/** Takes a dump of a running cluster: what decisions are made of, and nothing else. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.dump;
