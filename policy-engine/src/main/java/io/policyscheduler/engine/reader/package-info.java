/** Reads Kubernetes objects from JSON, YAML, and protobuf into the cluster model. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.reader;
