/** What a running scheduler remembers of its last decisions, and how it tells them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.history;
