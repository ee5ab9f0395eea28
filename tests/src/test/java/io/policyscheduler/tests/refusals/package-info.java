/** Objects that API servers refuse, with the same words everywhere. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.refusals;
