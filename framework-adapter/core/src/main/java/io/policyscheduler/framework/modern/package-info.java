/** The plugins of current Kubernetes releases, with their default profile. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.modern;
