/** The members that rules may name: one table that the checker, the executors and the documentation read. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.member;
