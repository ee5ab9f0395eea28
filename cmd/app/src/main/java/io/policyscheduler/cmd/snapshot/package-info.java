/** A cluster at one moment, read from a dump or from its API server. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.snapshot;
