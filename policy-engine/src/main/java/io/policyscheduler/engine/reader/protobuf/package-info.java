/** Reads Kubernetes objects in protobuf as if they were JSON. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.reader.protobuf;
