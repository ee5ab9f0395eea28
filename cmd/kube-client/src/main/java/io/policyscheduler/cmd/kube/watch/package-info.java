/** Lists and watches, and the objects read from their bytes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.watch;
