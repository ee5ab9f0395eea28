/** Predicates and priorities run as plain functions: the reference that everything else is compared with. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.functions;
