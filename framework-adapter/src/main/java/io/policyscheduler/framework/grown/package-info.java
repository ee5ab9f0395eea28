/** What the predicates and priorities of v1.17 have become: the plugins of current releases under the old names. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.grown;
