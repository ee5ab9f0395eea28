/** The cluster as the scheduler sees it: immutable facts about pods, nodes and other objects, and the state they add up to. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster;
