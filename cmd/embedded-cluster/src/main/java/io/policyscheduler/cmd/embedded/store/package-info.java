/** The objects in memory: versions, histories for watches, deletion. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.store;
