/** The executor that is an object for each term. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.direct;
