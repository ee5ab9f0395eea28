/** Admission of objects before they are stored: validation, defaults, priority. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.admission;
