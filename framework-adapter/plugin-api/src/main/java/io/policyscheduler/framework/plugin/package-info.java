/** Extension points of the scheduling framework, in the terms of Kubernetes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.plugin;
