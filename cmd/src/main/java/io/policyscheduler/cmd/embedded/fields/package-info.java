/** Who owns which field of an object, and server-side apply. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.fields;
