/** Objects and rules that one tenant may bring, by mistake or on purpose, and that must not stop the others. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.hostile;
