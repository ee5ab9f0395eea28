/** The plugins of current releases of Kubernetes, as their default profile has them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.modern;
