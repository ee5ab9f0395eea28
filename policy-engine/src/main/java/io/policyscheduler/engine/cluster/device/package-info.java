/** Devices, what asks for them, and what has been given: the parts of the API group {@code resource.k8s.io}. */
@NullMarked
package io.policyscheduler.engine.cluster.device;

import org.jspecify.annotations.NullMarked;
