/**
 * Allocation of devices to resource claims: pools, requests, and the search. Mirrors {@code
 * staging/src/k8s.io/dynamic-resource-allocation/structured}.
 */
@NullMarked
package io.policyscheduler.framework.devices;

import org.jspecify.annotations.NullMarked;
