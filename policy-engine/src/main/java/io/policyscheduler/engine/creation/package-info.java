/** The changes that an API server makes to new objects: defaults, admission, and strategy, as far as decisions depend on them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.creation;
