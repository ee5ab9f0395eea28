/** What an API server makes of new objects: defaults, admission and strategy, as far as a decision reads them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.creation;
