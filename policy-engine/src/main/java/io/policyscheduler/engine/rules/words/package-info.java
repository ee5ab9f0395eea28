/** Says in plain words what rules say. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.words;
