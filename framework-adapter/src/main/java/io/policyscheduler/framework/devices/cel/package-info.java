/** CEL as selectors of devices have it: Kubernetes' functions, limits and texts around the library that evaluates. */
@NullMarked
package io.policyscheduler.framework.devices.cel;

import org.jspecify.annotations.NullMarked;
