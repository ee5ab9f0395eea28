/** Finds what rules say that was probably not meant, or could be said better. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.lint;
