/** Reads files of Kubernetes objects: lists, documents and dumps, packed or not. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.reader.file;
