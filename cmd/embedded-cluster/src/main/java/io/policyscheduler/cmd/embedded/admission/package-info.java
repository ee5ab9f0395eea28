/** What becomes of an object on its way into the store: validation, defaults, priority. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.admission;
