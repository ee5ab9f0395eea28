/** The last decisions of a running scheduler, the decision log, and the files of traces. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.history;
