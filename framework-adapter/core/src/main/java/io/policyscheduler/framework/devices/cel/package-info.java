/** CEL selectors of devices: the functions, cost limit, and error messages of Kubernetes on top of the CEL library. */
@NullMarked
package io.policyscheduler.framework.devices.cel;

import org.jspecify.annotations.NullMarked;
