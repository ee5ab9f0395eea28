/** The playground: a view of the live page of {@code cluster} that changes the embedded cluster and decides its pods. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.playground;
