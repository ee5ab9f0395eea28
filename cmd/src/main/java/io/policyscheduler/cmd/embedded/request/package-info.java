/** One HTTP request, decoded (JSON, YAML, protobuf), and the stored thing its path means. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.request;
