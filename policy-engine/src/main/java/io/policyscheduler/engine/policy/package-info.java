/** Policy files of kube-scheduler v1.17: parsing, validation, resolution, and translation to plugins. */
@NullMarked
package io.policyscheduler.engine.policy;

import org.jspecify.annotations.NullMarked;
