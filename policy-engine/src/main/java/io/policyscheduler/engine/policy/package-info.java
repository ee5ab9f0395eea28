/** Policy files of kube-scheduler v1.17: reading, validating, resolving and translating them to plugins. */
@NullMarked
package io.policyscheduler.engine.policy;

import org.jspecify.annotations.NullMarked;
